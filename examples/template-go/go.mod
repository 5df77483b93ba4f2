module ${PROJECT}

go 1.25.11

require (
	dbcloud/sdk/go/dbcloud v0.0.0
	github.com/pulumi/pulumi/sdk/v3 v3.259.0
)

replace dbcloud/sdk/go/dbcloud => ./dbcloud
