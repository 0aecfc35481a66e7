import type { Method, RestArea } from './rest-area.ts'

/** What the declaration of an operation says in addition to its root field, from whose arguments and type everything else follows. */
export interface OperationOptions {
  /** What it does in a few words, as the title of its page. */
  readonly summary: string
  /** Its id, and the name of its stored document. Default: the name of the root field. */
  readonly id?: string
  /** What it does and what it refuses. Default: the description of the root field. */
  readonly description?: string
  /** The folder below `schema/rest`. Default: the first part of the path after the version. */
  readonly folder?: string
  /** The group in the reference. Default: the first tag of the folder. */
  readonly tag?: string
  /** The status of success. Default: 200. 204 has no body. */
  readonly status?: 200 | 201 | 202 | 204
  /** What the body of success is, as one sentence. */
  readonly answers?: string
  /** Another status of success, where this flag of the answer is false, and what the body is then: 202 while work goes on. */
  readonly unless?: { readonly flag: string; readonly status: 202; readonly answers: string }
  /** Whether the body of success is `null` if there is nothing. A query that refuses an unknown id is nullable in the graph, too, so this does not follow from it. */
  readonly mayBeNull?: boolean
  /** Whether `Location` names the new record, at the path of the request followed by its id. */
  readonly hasLocation?: boolean
  /** Name of the schema of a body whose properties are arguments. Default: the name of the root field followed by `Input`. */
  readonly body?: string
  /** A realistic body. Default: composed of the examples of its fields. */
  readonly example?: Readonly<Record<string, unknown>>
  /** The only roles of users who may call it. */
  readonly roles?: readonly string[]
  /** Statuses of refusals that do not follow from its inputs, such as 404 for an id in the query, or 502 of a language model. */
  readonly refusals?: readonly number[]
  /** Parameters with a name of their own, or for a part of an argument: `{ owner: 'filter.ownerId.eq' }`. */
  readonly parameters?: Readonly<Record<string, string>>
  /** The records whose list has the same filters. They are parameters, and the argument `filter` takes them. */
  readonly filteredAs?: RestArea
  /** Headers that are arguments, by their names in lower case: `{ 'x-service-function-depth': 'depth' }`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Fields that the graph has and REST leaves out, as dotted paths in the answer. */
  readonly omits?: readonly string[]
}

/** A REST operation, served by one root field of the graph. It is plain data, so that other descriptions are derived from it too. */
export interface DeclaredOperation extends OperationOptions {
  readonly id: string
  readonly folder: string
  readonly method: Method
  /** The whole path, such as `/v1/quotes/{id}/submit`. */
  readonly path: string
  /** The name of the root field. */
  readonly field: string
}

const form = /^(GET|POST|PUT|PATCH|DELETE) (\/[\w./{}-]+)$/

/** Declares that REST serves a root field at `METHOD /path`; `npm run schema` prints its contract and its stored document. */
export function operation(place: string, field: string, options: OperationOptions): DeclaredOperation {
  const [, method, path] = form.exec(place) ?? []
  if (!method || !path) throw new Error(`The place of an operation must be written as POST /v1/tasks, not ${place}.`)
  const folder = path.split('/').find((part) => part !== '' && !/^v\d+$/.test(part))!
  return { id: field, folder, ...options, method: method.toLowerCase() as Method, path, field }
}
