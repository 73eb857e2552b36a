import { StorageChoices, StorageIdempotency, StorageOperation } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"

type Differences = Readonly<Partial<Record<StorageOperation.StorageOperation, string>>>

const withoutHeader: Differences = {
  "buckets.update": "ifMetagenerationMatch",
  "buckets.patch": "ifMetagenerationMatch",
  "buckets.setIamPolicy": "etag",
  "hmacKey.update": "etag",
  "objects.update": "ifMetagenerationMatch",
  "objects.patch": "ifMetagenerationMatch"
}

const generation = "ifGenerationMatch, generation"

const python2: Differences = {
  ...withoutHeader,
  "objects.insert": generation,
  "objects.compose": generation,
  "objects.copy": generation,
  "objects.rewrite": generation,
  "objects.move": generation,
  "objects.restore": generation,
  "resumable.session.create": generation
}

const node: Differences = {
  "buckets.patch": "ifMetagenerationMatch",
  "buckets.setIamPolicy": "etag",
  "bucket_acl.update": "always",
  "bucket_acl.delete": "always",
  "default_object_acl.update": "always",
  "default_object_acl.delete": "always",
  "object_acl.update": "always",
  "object_acl.delete": "always",
  "hmacKey.update": "never",
  "objects.patch": "ifMetagenerationMatch",
  "objects.delete": "ifGenerationMatch"
}

const once = [
  "bucket_acl.insert",
  "default_object_acl.insert",
  "object_acl.insert",
  "notifications.insert",
  "hmacKey.create"
]

const nodeAlways: Differences = {
  ...Object.fromEntries(
    StorageOperation.names
      .filter((name) => !once.includes(name) && StorageOperation.table[name].repetition !== "always")
      .map((name) => [name, "always"])
  ),
  "buckets.setIamPolicy": "etag"
}

const nodeNever: Differences = {
  ...node,
  "buckets.update": "never",
  "buckets.patch": "never",
  "objects.insert": "never",
  "objects.update": "never",
  "objects.patch": "never",
  "objects.delete": "never",
  "objects.compose": "never",
  "objects.copy": "never",
  "objects.rewrite": "never",
  "objects.move": "never",
  "resumable.session.create": "never"
}

/**
 * Where each library departs from the documented table; see the sources of the choices.
 */
const choices: ReadonlyArray<
  readonly [name: string, choice: StorageIdempotency.StorageIdempotency, departures: Differences]
> = [
  ["java", StorageChoices.java, { ...withoutHeader, "hmacKey.update": "never", "objects.delete": "ifGenerationMatch" }],
  ["python2", StorageChoices.python2, python2],
  [
    "python",
    StorageChoices.python,
    {
      ...python2,
      "objects.insert": "always",
      "objects.delete": "always",
      "objects.patch": "always",
      "resumable.session.create": "always"
    }
  ],
  ["node", StorageChoices.node, node],
  ["nodeAlways", StorageChoices.nodeAlways, nodeAlways],
  ["nodeNever", StorageChoices.nodeNever, nodeNever],
  ["go", StorageChoices.go, withoutHeader],
  [
    "cpp",
    StorageChoices.cpp,
    {
      "buckets.delete": "ifMetagenerationMatch, If-Match",
      "buckets.setIamPolicy": "If-Match",
      "objects.delete": "ifGenerationMatch",
      "notifications.insert": "If-Match",
      "notifications.delete": "If-Match",
      "bucket_acl.insert": "If-Match",
      "bucket_acl.update": "If-Match",
      "bucket_acl.patch": "If-Match",
      "bucket_acl.delete": "If-Match",
      "default_object_acl.insert": "If-Match",
      "default_object_acl.update": "If-Match",
      "default_object_acl.patch": "If-Match",
      "default_object_acl.delete": "If-Match",
      "object_acl.insert": "If-Match",
      "object_acl.update": "If-Match",
      "object_acl.patch": "If-Match",
      "object_acl.delete": "If-Match"
    }
  ]
]

const inWords = ({ rules }: StorageIdempotency.StorageIdempotency, name: StorageOperation.StorageOperation): string =>
  [rules.operations[name]].flat().join(", ")

describe("StorageChoices", () => {
  it.each(choices)("%s departs from the documented table here, and nowhere else", (_, choice, departures) => {
    const found = StorageOperation.names.filter(
      (name) => inWords(choice, name) !== inWords(StorageIdempotency.standard, name)
    )
    expect(Object.fromEntries(found.map((name) => [name, inWords(choice, name)]))).toEqual(departures)
    expect(choice.rules.strategy).toBe("conditional")
  })

  it("has a row here for each choice", () => {
    expect(Object.keys(StorageChoices).toSorted()).toEqual(choices.map(([name]) => name).toSorted())
  })

  it("counts no precondition on the source of a copy, for any library that asks for one", () => {
    for (const [, choice] of choices.filter(([name]) => name !== "nodeAlways")) {
      const call = { operation: "objects.copy", preconditions: ["ifMetagenerationMatch", "If-Match"] } as const
      expect(StorageIdempotency.decide(choice, call)._tag).toBe("NotRepeatable")
    }
  })
})
