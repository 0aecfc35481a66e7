import type { OperationLimits } from '../subgraphs/kernel/operation-limits.ts'
/** The parts of OpenAPI 3.1 that this adapter reads, and its own extensions. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly [keyword: string]: unknown
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required?: boolean
  readonly schema?: Schema
  readonly example?: unknown
  /** `deepObject`: an object, written as `name[key]=value` or as JSON. */
  readonly style?: string
  /** The GraphQL variable that receives the value, if its name differs from the name of the parameter. */
  readonly 'x-variable'?: string
  /** The parameter of which this one is a second name. */
  readonly 'x-alias-of'?: string
  /** Each item of the list is a field, or `field:unit` with the length of a period; the variable has the objects of the graph. */
  readonly 'x-field-and-unit'?: true
  /** The variable that receives the items `customFields.<key>` of the list, as the keys alone; `x-variable` has the others. */
  readonly 'x-custom-fields'?: string
  /** What the parameter chooses of the answered records: their properties, or related records. It is no variable. */
  readonly 'x-shape'?: 'fields' | 'expand'
  /** Of `fields`: with what the names of the fragments begin that select related records. */
  readonly 'x-fragments'?: string
  /** The query parameter is the API key of the request. It is no variable. */
  readonly 'x-credential'?: true
}

export interface Reference {
  readonly $ref: string
}

export interface ResponseObject {
  readonly description: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>
  /** The property of the answer that is true if this success response is sent, and not the other one. */
  readonly 'x-if'?: string
  /** The property of the answer that is the body; without it the whole answer is. */
  readonly 'x-body'?: string
}

export interface RequestBodyObject {
  readonly required?: boolean
  readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: object }>>
}

export interface OperationObject {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly deprecated?: boolean
  readonly parameters?: readonly (Parameter | Reference)[]
  readonly requestBody?: RequestBodyObject
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly 'x-api-key-scopes': readonly string[]
  /** Every user, key and app may call it: what it is about decides which scope it needs. */
  readonly 'x-every-credential'?: boolean
  readonly 'x-api-key-blocked'?: boolean
  /** The roles of users who may call the operation; every role if it is absent. */
  readonly 'x-required-roles'?: readonly string[]
  /** Whether users with the role READ_ONLY may call it although it is no GET: it changes nothing, or only what is their own. */
  readonly 'x-every-role'?: boolean
  /** Its limits, where they are larger than those of every operation. */
  readonly 'x-limits'?: Partial<OperationLimits>
  /** The effect on the session cookies: see `CookieAction`. `set` also reads the refresh token from its cookie. */
  readonly 'x-session-cookies'?: 'set' | 'clear' | 'csrf'
  /** Whether others add query parameters to the address, such as an authorization server or a mail program. They are ignored. */
  readonly 'x-ignores-unknown-parameters'?: boolean
  /** The day of the deprecation and of the removal, both `YYYY-MM-DD`, and the path that replaces this one. */
  readonly 'x-deprecated-at'?: string
  readonly 'x-sunset'?: string
  readonly 'x-successor'?: string
  /** The id of the original operation, if this one is its copy under an alias path. */
  readonly 'x-alias-of'?: string
}

export const methods = ['get', 'post', 'put', 'patch', 'delete'] as const
export type Method = (typeof methods)[number]

export type PathItem = { readonly parameters?: readonly (Parameter | Reference)[] } & {
  readonly [M in Method]?: OperationObject
}

export interface Tag {
  readonly name: string
  readonly description?: string
  /** The path whose operations those of this tag repeat under another path. */
  readonly 'x-alias-of'?: string
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly [member: string]: unknown }
  readonly servers?: readonly { readonly url: string; readonly description?: string }[]
  readonly tags?: readonly Tag[]
  readonly 'x-tagGroups'?: readonly { readonly name: string; readonly tags: readonly string[] }[]
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const isReference = (node: object): node is Reference => '$ref' in node && typeof node.$ref === 'string'

/** Follows a local reference to its target. Other nodes are returned unchanged. */
export function resolve<T extends object>(document: object, node: T | Reference): T {
  let found: unknown = node
  while (typeof found === 'object' && found !== null && isReference(found)) {
    const path = found.$ref
    if (!path.startsWith('#/')) throw new Error(`The reference ${path} must start with #/.`)
    found = path
      .slice(2)
      .split('/')
      .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], document)
    if (found === undefined) throw new Error(`The reference ${path} has no target.`)
  }
  return found as T
}

export const typesOf = (schema: Schema): readonly string[] =>
  typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
