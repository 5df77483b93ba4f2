// The floor: a class with as many properties as `Service`, written as in Pulumi's documentation, with
// handlers that do nothing.
"use strict";

const pulumi = require("@pulumi/pulumi");

const LINE = "exports.handler = () => require(process.env.DBCLOUD_BENCH_FLOOR).provider();";
const OUTPUTS = 32;

const outputs = Object.fromEntries(Array.from({ length: OUTPUTS }, (_, index) => [`output${index}`, undefined]));

exports.Service = class Service extends pulumi.CustomResource {
  /**
   * @param {string} name
   * @param {object} args
   */
  constructor(name, args) {
    super("pulumi-nodejs:dynamic/bench:Service", name, { ...outputs, ...args, __provider: LINE });
  }
};
