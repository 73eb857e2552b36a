/**
 * What Google asks of every client of Cloud Storage that retries: eight scenarios of faults.
 *
 * Source: https://github.com/googleapis/conformance-tests, storage/v1/retry_tests.json, at commit
 * 998891a8dae00df121e460420cceb0abfc4e2ea1. The resources that the file lists for each method are those that `Calls`
 * asks for.
 */

export interface Scenario {
  readonly id: number
  readonly description: string
  /** Each case is a script of instructions for one method. */
  readonly cases: ReadonlyArray<ReadonlyArray<string>>
  readonly methods: ReadonlyArray<string>
  /** Where several forms of a method could be called, the only one that is. */
  readonly group?: "resumable upload" | "download"
  /** Calls that a precondition makes idempotent carry one. */
  readonly precondition: boolean
  readonly expects: "success" | "failure"
}

/** Idempotent at all times. */
const always = [
  "storage.bucket_acl.get",
  "storage.bucket_acl.list",
  "storage.buckets.delete",
  "storage.buckets.get",
  "storage.buckets.getIamPolicy",
  "storage.buckets.insert",
  "storage.buckets.list",
  "storage.buckets.lockRetentionPolicy",
  "storage.buckets.testIamPermissions",
  "storage.default_object_acl.get",
  "storage.default_object_acl.list",
  "storage.hmacKey.delete",
  "storage.hmacKey.get",
  "storage.hmacKey.list",
  "storage.notifications.delete",
  "storage.notifications.get",
  "storage.notifications.list",
  "storage.object_acl.get",
  "storage.object_acl.list",
  "storage.objects.get",
  "storage.objects.list",
  "storage.serviceaccount.get"
]

/** Idempotent with a precondition. */
const conditional = [
  "storage.buckets.patch",
  "storage.buckets.setIamPolicy",
  "storage.buckets.update",
  "storage.hmacKey.update",
  "storage.objects.compose",
  "storage.objects.copy",
  "storage.objects.delete",
  "storage.objects.insert",
  "storage.objects.patch",
  "storage.objects.rewrite",
  "storage.objects.update"
]

/** Never idempotent. */
const never = [
  "storage.bucket_acl.delete",
  "storage.bucket_acl.insert",
  "storage.bucket_acl.patch",
  "storage.bucket_acl.update",
  "storage.default_object_acl.delete",
  "storage.default_object_acl.insert",
  "storage.default_object_acl.patch",
  "storage.default_object_acl.update",
  "storage.hmacKey.create",
  "storage.notifications.insert",
  "storage.object_acl.delete",
  "storage.object_acl.insert",
  "storage.object_acl.patch",
  "storage.object_acl.update"
]

const twice = [
  ["return-503", "return-503"],
  ["return-reset-connection", "return-reset-connection"],
  ["return-reset-connection", "return-503"]
]

const once = [["return-503"], ["return-reset-connection"]]

export const scenarios: ReadonlyArray<Scenario> = [
  {
    id: 1,
    description: "always idempotent",
    cases: twice,
    methods: always,
    precondition: false,
    expects: "success"
  },
  {
    id: 2,
    description: "conditionally idempotent, with a precondition",
    cases: twice,
    methods: conditional,
    precondition: true,
    expects: "success"
  },
  {
    id: 3,
    description: "conditionally idempotent, without a precondition",
    cases: once,
    methods: conditional,
    precondition: false,
    expects: "failure"
  },
  {
    id: 4,
    description: "not idempotent",
    cases: once,
    methods: never,
    precondition: false,
    expects: "failure"
  },
  {
    id: 5,
    description: "errors that are not retryable",
    cases: [["return-400"], ["return-401"]],
    methods: [...always, ...conditional, ...never],
    precondition: false,
    expects: "failure"
  },
  {
    id: 6,
    description: "a retryable error, and then one that is not",
    cases: [
      ["return-503", "return-400"],
      ["return-reset-connection", "return-401"]
    ],
    methods: [...always, ...conditional],
    precondition: true,
    expects: "failure"
  },
  {
    id: 7,
    description: "resumable uploads",
    cases: [
      ["return-reset-connection", "return-503"],
      ["return-408"],
      ["return-503-after-256K"],
      ["return-503-after-8192K", "return-408"]
    ],
    methods: ["storage.objects.insert"],
    group: "resumable upload",
    precondition: true,
    expects: "success"
  },
  {
    id: 8,
    description: "downloads",
    cases: [["return-broken-stream", "return-broken-stream"], ["return-broken-stream-after-256K"]],
    methods: ["storage.objects.get"],
    group: "download",
    precondition: false,
    expects: "success"
  }
]
