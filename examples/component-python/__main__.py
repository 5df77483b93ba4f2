"""A database of the component in `database`, which is written in TypeScript."""

import pulumi


class Database(pulumi.ComponentResource):
    """`pulumi package add ./database` generates such a class."""

    url: pulumi.Output[str]

    def __init__(self, name: str, cpu_millis: pulumi.Input[int], opts: pulumi.ResourceOptions | None = None):
        super().__init__("shop:index:Database", name, {"cpuMillis": cpu_millis, "url": None}, opts, remote=True)


orders = Database("orders", cpu_millis=500)
pulumi.export("url", orders.url)
