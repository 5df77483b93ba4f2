// All four kinds of resources, and a look-up.
package main

import (
	"dbcloud/sdk/go/dbcloud"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		settings := config.New(ctx, "")
		protected := settings.GetBool("protected")
		net, err := dbcloud.NewVpc(ctx, "net", &dbcloud.VpcArgs{
			Cidr:       pulumi.String("10.0.0.0/24"),
			RegionCode: pulumi.String("us-east-1"),
		})
		if err != nil {
			return err
		}
		link, err := dbcloud.NewPeering(ctx, "link", &dbcloud.PeeringArgs{
			VpcId:          net.VpcId,
			PeerAccountId:  pulumi.String("123456789012"),
			PeerRegionCode: pulumi.String("us-east-1"),
			PeerVpcId:      pulumi.String("vpc-0a1b2c3d"),
		})
		if err != nil {
			return err
		}
		orders, err := dbcloud.NewService(ctx, "orders", &dbcloud.ServiceArgs{
			RegionCode:         pulumi.String("us-east-1"),
			VpcId:              net.ID(),
			CpuMillis:          pulumi.Int(settings.RequireInt("cpuMillis")),
			MemoryGbs:          pulumi.Int(settings.RequireInt("memoryGbs")),
			Environment:        dbcloud.EnvironmentDev,
			Password:           settings.RequireSecret("password"),
			DeletionProtection: pulumi.Bool(protected),
		}, pulumi.Protect(protected))
		if err != nil {
			return err
		}
		readers, err := dbcloud.NewReadReplicaSet(ctx, "readers", &dbcloud.ReadReplicaSetArgs{
			ServiceId: orders.ServiceId,
			Nodes:     pulumi.Int(1),
			CpuMillis: pulumi.Int(500),
			MemoryGbs: pulumi.Int(2),
			Password:  orders.Password,
		})
		if err != nil {
			return err
		}
		// Takes the connection string as any other resource would.
		_, err = dbcloud.NewVpc(ctx, "client", &dbcloud.VpcArgs{
			Name:       orders.ConnectionUri,
			Cidr:       pulumi.String("10.1.0.0/24"),
			RegionCode: pulumi.String("us-east-1"),
		})
		if err != nil {
			return err
		}
		found := dbcloud.LookupServiceOutput(ctx, dbcloud.LookupServiceOutputArgs{ServiceId: orders.ID()})
		if name := settings.Get("lookedUp"); name != "" {
			sought := dbcloud.LookupServiceOutput(ctx, dbcloud.LookupServiceOutputArgs{Name: pulumi.String(name)})
			sought.ApplyT(func(dbcloud.LookupServiceResult) (string, error) {
				_, err := dbcloud.NewVpc(ctx, "later", &dbcloud.VpcArgs{
					Cidr:       pulumi.String("10.2.0.0/24"),
					RegionCode: pulumi.String("us-east-1"),
				})
				return "", err
			})
		}
		if settings.GetBool("imported") {
			_, err := dbcloud.NewVpc(ctx, "hand", &dbcloud.VpcArgs{
				Name:       pulumi.String("by-hand"),
				Cidr:       pulumi.String("10.9.0.0/24"),
				RegionCode: pulumi.String("us-east-1"),
			})
			if err != nil {
				return err
			}
		}
		ctx.Export("host", orders.Host)
		ctx.Export("uri", orders.ConnectionUri)
		ctx.Export("link", link.ProvisionedId)
		ctx.Export("readers", readers.Host)
		ctx.Export("readersUri", readers.ConnectionUri)
		ctx.Export("status", found.Status())
		ctx.Export("found", found.ConnectionUri())
		return nil
	})
}
