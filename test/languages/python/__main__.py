"""All four kinds of resources through a provider of their own, and a look-up."""

import pulumi
import pulumi_dbcloud as dbcloud

config = pulumi.Config()

cloud = dbcloud.Provider("cloud", api_key=config.require_secret("apiKey"))
options = pulumi.ResourceOptions(provider=cloud)
protected = config.get_bool("protected")

net = dbcloud.Vpc("net", cidr="10.0.0.0/24", region_code="us-east-1", opts=options)
link = dbcloud.Peering(
    "link",
    vpc_id=net.vpc_id,
    peer_account_id="123456789012",
    peer_region_code="us-east-1",
    peer_vpc_id="vpc-0a1b2c3d",
    opts=options,
)
orders = dbcloud.Service(
    "orders",
    region_code="us-east-1",
    vpc_id=net.id,
    cpu_millis=config.require_int("cpuMillis"),
    memory_gbs=config.require_int("memoryGbs"),
    environment="DEV",
    password=config.require_secret("password"),
    deletion_protection=protected,
    opts=pulumi.ResourceOptions(provider=cloud, protect=protected),
)
readers = dbcloud.ReadReplicaSet(
    "readers",
    service_id=orders.service_id,
    nodes=1,
    cpu_millis=500,
    memory_gbs=2,
    password=orders.password,
    opts=options,
)
# Takes the connection string as any other resource would.
client = dbcloud.Vpc("client", name=orders.connection_uri, cidr="10.1.0.0/24", region_code="us-east-1", opts=options)
found = dbcloud.get_service_output(
    service_id=orders.id, opts=pulumi.InvokeOutputOptions(provider=cloud)
)
if config.get_bool("imported"):
    dbcloud.Vpc("hand", name="by-hand", cidr="10.9.0.0/24", region_code="us-east-1")

pulumi.export("host", orders.host)
pulumi.export("uri", orders.connection_uri)
pulumi.export("link", link.provisioned_id)
pulumi.export("readers", readers.host)
pulumi.export("readersUri", readers.connection_uri)
pulumi.export("status", found.status)
pulumi.export("found", found.connection_uri)
