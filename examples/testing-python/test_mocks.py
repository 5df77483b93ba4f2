"""What the program registers, with the mocks of Pulumi: no CLI, no plugin."""

import runpy
import unittest

import pulumi


class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        return f"{args.name}-id", {**args.inputs, "connectionUri": "postgresql://db.example"}

    def call(self, args):
        return {}


pulumi.runtime.set_mocks(Mocks())
program = runpy.run_path("__main__.py")  # once the mocks are set


class Registered(unittest.TestCase):
    @pulumi.runtime.test
    def test_size(self):
        return program["orders"].cpu_millis.apply(lambda size: self.assertEqual(size, 500))
