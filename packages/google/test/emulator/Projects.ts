/**
 * What belongs to a project: its service account, and its HMAC keys.
 *
 * Source: https://cloud.google.com/storage/docs/authentication/hmackeys.
 */
import { empty, json, readResource, refuse, type Resource } from "./Answer.ts"
import type { Call, Operation } from "./Call.ts"
import * as Preconditions from "./Preconditions.ts"
import { etagOf, type HmacKey, hmacKeyOf, now, type State } from "./State.ts"

export const serviceAccount: Operation = ({ param }) =>
  json({
    kind: "storage#serviceAccount",
    email_address: `service-${param("project")}@gs-project-accounts.iam.gserviceaccount.com`
  })

const render = ({ accessId, project, ...key }: HmacKey): Resource => ({
  kind: "storage#hmacKeyMetadata",
  id: `${project}/${accessId}`,
  accessId,
  projectId: project,
  ...key
})

/** The secret is shown this once. */
export const createKey: Operation = ({ param, query, state }) => {
  const serviceAccountEmail = query.get("serviceAccountEmail") ?? refuse(400, "Required parameter: serviceAccountEmail")
  const number = state.next()
  const time = now()
  const key: HmacKey = {
    accessId: `GOOG1E${String(number).padStart(12, "0")}`,
    project: param("project"),
    serviceAccountEmail,
    state: "ACTIVE",
    etag: etagOf("key", number),
    timeCreated: time,
    updated: time
  }
  state.hmacKeys.set(key.accessId, key)
  return json({
    kind: "storage#hmacKey",
    metadata: render(key),
    secret: Buffer.from(`secret ${number}`).toString("base64")
  })
}

export const listKeys: Operation = ({ param, query, state }) => {
  const email = query.get("serviceAccountEmail")
  const items = [...state.hmacKeys.values()]
    .filter(({ project }) => project === param("project"))
    .filter(({ serviceAccountEmail }) => email === null || email === serviceAccountEmail)
    .filter(({ state }) => state !== "DELETED" || query.get("showDeletedKeys") === "true")
    .map(render)
  return json({ kind: "storage#hmacKeysMetadata", items })
}

const find = ({ param, state }: Call): HmacKey => hmacKeyOf(state, param("accessId"))

export const getKey: Operation = (call) => json(render(find(call)))

const change = (state: State, key: HmacKey, to: HmacKey["state"]): HmacKey => {
  const changed = { ...key, state: to, updated: now(), etag: etagOf("key", state.next()) }
  state.hmacKeys.set(key.accessId, changed)
  return changed
}

/** The entity tag in the body is a precondition, and so is `If-Match`. */
export const updateKey: Operation = (call) => {
  const key = find(call)
  const { etag, state } = readResource(call.body)
  if (etag !== undefined && etag !== key.etag) refuse(412, "The etag does not match.")
  Preconditions.checkTags(call.headers, key.etag)
  if (key.state === "DELETED") refuse(400, "The key is deleted.")
  return state === "ACTIVE" || state === "INACTIVE"
    ? json(render(change(call.state, key, state)))
    : refuse(400, "Invalid state.")
}

export const removeKey: Operation = (call) => {
  const key = find(call)
  if (key.state === "DELETED") refuse(404, "The key is deleted.")
  if (key.state === "ACTIVE") refuse(400, "Cannot delete keys in 'ACTIVE' state.")
  change(call.state, key, "DELETED")
  return empty(200)
}
