/**
 * Errors of clients with a secret in every place that a client can put it.
 */
import { Data, Schema } from "effect"

interface Case {
  readonly place: string
  readonly secret: string
  readonly error: unknown
}

/** What a parser or a schema throws. */
const thrown = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    return error
  }
}

class Wrapped extends Data.TaggedError("Wrapped")<{ readonly cause: unknown }> {}

class OfDriver extends Data.TaggedError("OfDriver")<{
  readonly message: string
  readonly parameters: ReadonlyArray<unknown>
}> {}

const password = "hunter-two"
const token = "tok-4711-abcdef"
const accessKey = "AKIAIOSFODNN7EXAMPLE"
const secretKey = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
const sessionToken = "IQoJb3JpZ2luX2VjEJr//////////wEaCXVzLWVhc3QtMSJHMEUCIQDx"
const signature = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
const uploadId = "ABPtcPpq2k%2f7Zx_w-9sT1rL0uV"
const row = "mary@example.org"

const signed =
  `https://files.s3.amazonaws.com/report.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${accessKey}%2F20260101` +
  `%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Security-Token=${sessionToken}&X-Amz-Signature=${signature}`

const of = (place: string, secret: string, error: unknown): Case => ({ place, secret, error })

const saying = (place: string, secret: string, message: string): Case => of(place, secret, new Error(message))

const having = (place: string, secret: string, properties: object): Case =>
  of(place, secret, Object.assign(new Error("it failed"), properties))

const ofUrls: ReadonlyArray<Case> = [
  saying("the user info of a URL", password, `Failed to parse URL from http://user:${password}@api.example/`),
  saying("the user info of a part of a URL", password, `cannot reach //user:${password}@api.example/a`),
  saying("a value of a query", token, `GET https://api.example/a?api_key=${token} failed`),
  saying("the query of a path", token, `GET /a?x=1&${token} failed`),
  saying("a fragment", token, `cannot open https://api.example/a#access_token=${token}`),
  saying("a signature in a URL", signature, `403 for ${signed}`),
  saying("a session token in a URL", sessionToken, `403 for "${signed}"`),
  saying("a key in a URL", accessKey, `403 for <${signed}>.`),
  saying(
    "the address of an upload",
    uploadId,
    `PUT https://storage.googleapis.com/upload/storage/v1/b/b/o?uploadType=resumable&upload_id=${uploadId} failed`
  ),
  saying("an encoded address of an upload", uploadId, `to=https%3A%2F%2Fstorage%2Fo%3Fupload_id%3D${uploadId}`),
  saying("a session of an upload", uploadId, `the session upload_id: ${uploadId} is gone`),
  saying("a URL that is cut short", uploadId, `PUT https://storage/${"a/".repeat(490)}o?upload_id=${uploadId}`),
  saying("a URL behind what is read", password, `${"x ".repeat(505)}http://user:${password}@api.example/`),
  having("a URLSearchParams", uploadId, { params: new URLSearchParams({ upload_id: uploadId }) }),
  having("a URL", password, { url: new URL(`http://user:${password}@api.example/`) })
]

const ofHeaders: ReadonlyArray<Case> = [
  saying("an Authorization header", token, `refused Authorization: Bearer ${token}`),
  saying("a Basic authorization", "dXNlcjpodW50ZXIy", "refused authorization: Basic dXNlcjpodW50ZXIy"),
  saying("a header in an object", token, `refused {"x-api-key":"${token}"}`),
  saying("a header in a text", token, `Invalid header value char in x-api-key: "${token}"`),
  saying("a cookie", token, `Cookie: theme=dark; sid=${token}`),
  saying("a cookie that is set", token, `cannot parse Set-Cookie: sid=${token}; HttpOnly`),
  having("headers of a config", token, { config: { headers: { Authorization: `Bearer ${token}` } } }),
  having("headers of a response", token, { response: { headers: new Headers({ "set-cookie": token }) } }),
  having("raw headers", token, { rawHeaders: ["authorization", token] })
]

const ofBodies: ReadonlyArray<Case> = [
  of(
    "a body that does not parse",
    token,
    thrown(() => JSON.parse(`${token} is no JSON`))
  ),
  of(
    "a value that does not fit its schema",
    token,
    thrown(() => Schema.decodeUnknownSync(Schema.Struct({ id: Schema.Number }))({ id: token }))
  ),
  saying("a JSON body", token, `422 {"password":"${token}"}`),
  saying("an HTML body", token, `502 <html><body>${token}</body></html>`),
  saying("a form", token, `cannot send grant_type=password&password=${token}`),
  having("a body", token, { body: Buffer.from(token), data: token }),
  having("a body in an array", token, { chunks: [new Uint8Array(Buffer.from(token)), token] })
]

const ofClouds: ReadonlyArray<Case> = [
  saying("an access key", accessKey, `The AWS Access Key Id you provided (${accessKey}) does not exist`),
  saying("a secret key", secretKey, `cannot sign with secretAccessKey ${secretKey}`),
  saying("a session token", sessionToken, `The security token ${sessionToken} is expired`),
  saying("a string to sign", signature, `The request signature we calculated ${signature} does not match`),
  having("credentials", secretKey, {
    $metadata: {},
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey, sessionToken }
  })
]

const ofStores: ReadonlyArray<Case> = [
  saying("the URL of a Redis", password, `connect ECONNREFUSED redis://default:${password}@cache.internal:6379/0`),
  saying("the URL of a Redis over TLS", password, `cannot use rediss://:${password}@cache.internal`),
  having("the arguments of a command", password, { command: { name: "auth", args: ["default", password] } }),
  having("the previous errors of a command", token, { previousErrors: [new Error(`key:${token}`)] }),
  saying("the URL of a Postgres", password, `cannot reach postgres://app:${password}@db.internal:5432/orders`),
  saying("the connection string of a Postgres", password, `cannot use host=db user=app password=${password} dbname=a`),
  having("the detail of an error of Postgres", row, {
    severity: "ERROR",
    code: "23505",
    detail: `Key (email)=(${row}) already exists.`,
    where: `COPY users, line 1: "${row}"`,
    internalQuery: `select '${row}'`
  }),
  saying("a row in the message of Postgres", row, `duplicate key: Key (email)=(${row}) already exists.`),
  of("the parameters of a statement", row, new OfDriver({ message: "insert failed", parameters: [row] })),
  having("the connection of a pool", password, { client: { connectionParameters: { password } } })
]

/** In errors without causes. */
export const leaves: ReadonlyArray<Case> = [...ofUrls, ...ofHeaders, ...ofBodies, ...ofClouds, ...ofStores]

/** In the cause of one of the errors of a cause. */
const within = ({ error, place, secret }: Case): Case => {
  const both = new AggregateError([new Error("first"), new Wrapped({ cause: error })], "all failed")
  return of(`${place}, in causes`, secret, new TypeError("fetch failed", { cause: both }))
}

/** Every place: of an error, of its causes, and of what is no error. */
export const all: ReadonlyArray<Case> = [
  ...leaves,
  ...leaves.map(within),
  of("a text", token, token),
  of("an object", token, { message: token, token })
]
