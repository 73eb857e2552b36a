/**
 * The library calls of methods of objects.
 */
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect } from "effect"
import {
  bucketPath,
  type Call,
  call,
  type Given,
  objectPath,
  parameter,
  read,
  reading,
  type Request,
  send,
  withJson
} from "./Call.ts"

const existing: ReadonlyArray<Call> = [
  reading("objects.list", ["bucket", "object"], (fixture) => `${bucketPath(fixture)}/o`),
  reading("objects.get", ["bucket", "object"], objectPath, "metadata"),
  reading("objects.get", ["bucket", "object"], (fixture) => `${objectPath(fixture)}?alt=media`, "media"),
  call("objects.delete", ["bucket", "object"], ({ fixture, precondition }) =>
    HttpClientRequest.del(`${fixture.url}${objectPath(fixture)}`).pipe(
      parameter(precondition, "ifGenerationMatch", fixture.generation)
    )
  ),
  ...(["PATCH", "PUT"] as const).map((verb) =>
    call(verb === "PUT" ? "objects.update" : "objects.patch", ["bucket", "object"], ({ fixture, precondition }) =>
      withJson(HttpClientRequest.make(verb)(`${fixture.url}${objectPath(fixture)}`), {
        metadata: { changed: "yes" }
      }).pipe(parameter(precondition, "ifMetagenerationMatch", fixture.metageneration))
    )
  ),
  ...(["copyTo", "rewriteTo"] as const).map((verb) =>
    call(verb === "copyTo" ? "objects.copy" : "objects.rewrite", ["bucket", "object"], ({ fixture, precondition }) =>
      withJson(
        HttpClientRequest.post(`${fixture.url}${objectPath(fixture)}/${verb}/b/${fixture.bucket}/o/${verb}`),
        {}
      ).pipe(parameter(precondition, "ifGenerationMatch", "0"))
    )
  ),
  call("objects.compose", ["bucket", "object"], ({ fixture, precondition }) =>
    withJson(HttpClientRequest.post(`${fixture.url}${bucketPath(fixture)}/o/composed/compose`), {
      sourceObjects: [{ name: fixture.object }, { name: fixture.object }],
      destination: { contentType: "text/plain" }
    }).pipe(parameter(precondition, "ifGenerationMatch", "0"))
  )
]

const insertion = ({ fixture, precondition }: Given, uploadType: string, name: string): Request =>
  HttpClientRequest.post(`${fixture.url}/upload${bucketPath(fixture)}/o`).pipe(
    HttpClientRequest.setUrlParams({ uploadType, ...(name !== "" && { name }) }),
    parameter(precondition, "ifGenerationMatch", "0")
  )

const twoParts = [
  "--part",
  "Content-Type: application/json",
  "",
  `{"name":"multipart"}`,
  "--part",
  "Content-Type: text/plain",
  "",
  "data",
  "--part--",
  ""
].join("\r\n")

/** A session, and the whole object in one request. */
const resumable = (client: HttpClient.HttpClient, given: Given): Effect.Effect<void, unknown> =>
  Effect.gen(function* () {
    const response = yield* client.execute(insertion(given, "resumable", "resumable"))
    yield* read(response)
    const session = HttpClientRequest.put(response.headers["location"] ?? "")
    yield* send(client, HttpClientRequest.bodyText(session, "data", "text/plain"))
  })

const insertions: ReadonlyArray<Call> = [
  call(
    "objects.insert",
    ["bucket"],
    (given) => HttpClientRequest.bodyText(insertion(given, "media", "media"), "data", "text/plain"),
    { form: "media" }
  ),
  call(
    "objects.insert",
    ["bucket"],
    (given) =>
      HttpClientRequest.bodyText(insertion(given, "multipart", ""), twoParts, "multipart/related; boundary=part"),
    { form: "multipart" }
  ),
  { method: "storage.objects.insert", form: "resumable", needs: ["bucket"], reads: false, run: resumable }
]

/** Calls of objects but those of their access controls. */
export const objects: ReadonlyArray<Call> = [...existing, ...insertions]
