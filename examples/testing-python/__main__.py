import pulumi
import pulumi_dbcloud as dbcloud

orders = dbcloud.Service("orders", region_code="us-east-1", cpu_millis=500, memory_gbs=2)
pulumi.export("id", orders.id)
pulumi.export("url", orders.connection_uri)
