/**
 * Entries of the access controls of buckets, of objects, and of objects to come: one set of operations over three places.
 */
import { empty, json, merged, readResource, refuse, type Resource } from "./Answer.ts"
import type { Call, Operation } from "./Call.ts"
import * as Objects from "./Objects.ts"
import { type AccessControl, bucketOf, changeBucket, etagOf } from "./State.ts"

/** Where entries are stored. */
interface Place {
  readonly kind: "storage#bucketAccessControl" | "storage#objectAccessControl"
  /** Fields that say what the entries belong to. */
  readonly of: Resource
  readonly entries: AccessControl
  readonly replace: (entries: AccessControl) => void
}

const ofBucket = ({ param, state }: Call): Place => {
  const bucket = bucketOf(state, param("bucket"))
  return {
    kind: "storage#bucketAccessControl",
    of: { bucket: bucket.name },
    entries: bucket.acl,
    replace: (acl) => void changeBucket(state, bucket, { acl })
  }
}

const ofObjectsToCome = ({ param, state }: Call): Place => {
  const bucket = bucketOf(state, param("bucket"))
  return {
    kind: "storage#objectAccessControl",
    of: {},
    entries: bucket.defaultObjectAcl,
    replace: (defaultObjectAcl) => void changeBucket(state, bucket, { defaultObjectAcl })
  }
}

const ofObject = (call: Call): Place => {
  const { bucket, object } = Objects.ofCall(call)
  return {
    kind: "storage#objectAccessControl",
    of: { bucket: bucket.name, object: object.name, generation: String(object.generation) },
    entries: object.acl,
    replace: (acl) => void Objects.change(bucket, object, { acl })
  }
}

const render = ({ kind, of }: Place, entity: string, role: string): Resource => ({
  kind,
  ...of,
  entity,
  role,
  etag: etagOf(entity, role)
})

const roleOf = ({ role }: Resource): string =>
  typeof role === "string" ? role : refuse(400, "Required parameter: role")

const set = (place: Place, entity: string, role: string) => {
  place.replace(new Map(place.entries).set(entity, role))
  return json(render(place, entity, role))
}

export interface Operations {
  readonly list: Operation
  readonly insert: Operation
  readonly get: Operation
  readonly update: Operation
  readonly patch: Operation
  readonly remove: Operation
}

const operations = (placeOf: (call: Call) => Place): Operations => {
  const found = (call: Call) => {
    const place = placeOf(call)
    const entity = call.param("entity")
    return { place, entity, role: place.entries.get(entity) ?? refuse(404, "The specified entity does not exist.") }
  }
  return {
    list: (call) => {
      const place = placeOf(call)
      const items = [...place.entries].map(([entity, role]) => render(place, entity, role))
      return json({ kind: `${place.kind}s`, items })
    },
    insert: (call) => {
      const { entity, ...entry } = readResource(call.body)
      if (typeof entity !== "string") return refuse(400, "Required parameter: entity")
      return set(placeOf(call), entity, roleOf(entry))
    },
    get: (call) => {
      const { entity, place, role } = found(call)
      return json(render(place, entity, role))
    },
    update: (call) => {
      const { entity, place } = found(call)
      return set(place, entity, roleOf(readResource(call.body)))
    },
    patch: (call) => {
      const { entity, place, role } = found(call)
      return set(place, entity, roleOf(merged({ role }, readResource(call.body))))
    },
    remove: (call) => {
      const { entity, place } = found(call)
      place.replace(new Map([...place.entries].filter(([each]) => each !== entity)))
      return empty(200)
    }
  }
}

export const bucketAcl = operations(ofBucket)
export const defaultObjectAcl = operations(ofObjectsToCome)
export const objectAcl = operations(ofObject)
