"""The real engine and plugin, against the emulator."""

import json
import subprocess
import unittest

from pulumi import automation

EMULATOR = ["npx", "pulumi-dbcloud", "emulator"]


class OnTheEmulator(unittest.TestCase):
    def setUp(self):
        start = [*EMULATOR, "--background", "--quick", "--json"]
        variables = json.loads(subprocess.run(start, check=True, stdout=subprocess.PIPE).stdout)
        self.addCleanup(subprocess.run, [*EMULATOR, "--stop"], check=True)
        options = automation.LocalWorkspaceOptions(env_vars=variables)
        self.stack = automation.create_or_select_stack("test", work_dir=".", opts=options)

    def test_orders(self):
        self.assertTrue(self.stack.up().outputs["url"].secret)
        self.assertEqual(self.stack.preview().change_summary, {"same": 2})
        self.stack.destroy(remove=True)
