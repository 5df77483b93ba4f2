package main

import (
	"dbcloud/sdk/go/dbcloud"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		orders, err := dbcloud.NewService(ctx, "orders", &dbcloud.ServiceArgs{
			RegionCode: pulumi.String("us-east-1"),
			CpuMillis:  pulumi.Int(500),
			MemoryGbs:  pulumi.Int(2),
		})
		if err != nil {
			return err
		}
		ctx.Export("id", orders.ID())
		ctx.Export("url", orders.ConnectionUri)
		return nil
	})
}
