/**
 * Configurations of notifications: every one that is created has an id of its own.
 */
import { empty, json, readResource, refuse, type Resource } from "./Answer.ts"
import type { Call, Operation } from "./Call.ts"
import { bucketOf, etagOf } from "./State.ts"

export const list: Operation = ({ param, state }) =>
  json({ kind: "storage#notifications", items: [...bucketOf(state, param("bucket")).notifications.values()] })

export const insert: Operation = ({ body, param, state }) => {
  const { notifications } = bucketOf(state, param("bucket"))
  const fields = readResource(body)
  if (typeof fields["topic"] !== "string") refuse(400, "Required parameter: topic")
  const id = String(state.next())
  const created = { payload_format: "JSON_API_V1", ...fields, kind: "storage#notification", id, etag: etagOf(id) }
  notifications.set(id, created)
  return json(created)
}

const find = ({ param, state }: Call): Resource =>
  bucketOf(state, param("bucket")).notifications.get(param("notification")) ?? refuse(404, "No such notification.")

export const get: Operation = (call) => json(find(call))

export const remove: Operation = (call) => {
  find(call)
  bucketOf(call.state, call.param("bucket")).notifications.delete(call.param("notification"))
  return empty(200)
}
