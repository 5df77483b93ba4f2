/** A VPC as a program says it. */
export const NET = {
  name: "net",
  cidr: "10.0.0.0/24",
  regionCode: "us-east-1",
  __urn: "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:Vpc::net",
};
