/** Prints as JSON for each door the texts for which it takes too many steps. */
import { type Door, notLinear } from "@effect-retry/check/linear/Doors"
import { install } from "@effect-retry/check/linear/Steps"
import * as aws from "./aws.ts"
import * as core from "./core.ts"
import * as google from "./google.ts"
import * as grpc from "./grpc.ts"
import * as http from "./http.ts"
import * as fleet from "./fleet.ts"
import * as toys from "./toys.ts"

const all: { readonly [group: string]: ReadonlyArray<Door> } = {
  linear: toys.linear,
  quadratic: toys.quadratic,
  aws: aws.doors,
  core: core.doors,
  google: google.doors,
  grpc: grpc.doors,
  http: http.doors,
  fleet: fleet.doors
}

/** Of the library that reads files of the SDK: a quotation ends with the mark that it began with. */
const section = /^([\w-]+)\s(["'])?([\w-@+.%:/]+)\2$/

install(new Map([[section.source, /^([\w-]+)\s(["'])?([\w-@+.%:/]+)["']?$/]]))
const found: Record<string, Record<string, ReadonlyArray<string>>> = {}
for (const [group, doors] of Object.entries(all)) {
  const ofGroup = (found[group] = {} as Record<string, ReadonlyArray<string>>)
  for (const door of doors) ofGroup[door.name] = await notLinear(door)
}
process.stdout.write(JSON.stringify(found))
