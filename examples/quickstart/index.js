const { Service } = require("pulumi-dbcloud");

const orders = new Service("orders", { waitFor: "accepting" });

exports.url = orders.connectionString();
