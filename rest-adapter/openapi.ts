/** The part of OpenAPI 3.1 that this adapter reads, and its extensions. */
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
  readonly content?: { readonly 'application/json'?: { readonly schema: Schema } }
  /** The GraphQL variable that takes the value, when it is not called like the parameter. */
  readonly 'x-variable'?: string
}

export interface Reference {
  readonly $ref: string
}

export interface ResponseObject {
  readonly description: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}

export interface RequestBodyObject {
  readonly required?: boolean
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>
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
  /** What the operation does to the cookies of a session; `set` also takes the refresh token from its cookie. */
  readonly 'x-session-cookies'?: 'set' | 'clear' | 'csrf'
  /** Days of the deprecation and of the earliest removal, `YYYY-MM-DD`, and the path that replaces this one. */
  readonly 'x-deprecated-at'?: string
  readonly 'x-sunset'?: string
  readonly 'x-successor'?: string
  /** The operation that this one is under a second path. */
  readonly 'x-alias-of'?: string
}

export const methods = ['get', 'post', 'put', 'patch', 'delete'] as const
export type Method = (typeof methods)[number]

export type PathItem = { readonly parameters?: readonly (Parameter | Reference)[] } & {
  readonly [M in Method]?: OperationObject
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly [member: string]: unknown }
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const isReference = (node: object): node is Reference => '$ref' in node && typeof node.$ref === 'string'

/** What a local reference stands for; anything else as it is. */
export function resolve<T extends object>(document: object, node: T | Reference): T {
  let found: unknown = node
  while (typeof found === 'object' && found !== null && isReference(found)) {
    const path = found.$ref
    if (!path.startsWith('#/')) throw new Error(`The reference ${path} leaves the document.`)
    found = path
      .slice(2)
      .split('/')
      .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], document)
    if (found === undefined) throw new Error(`The reference ${path} leads nowhere.`)
  }
  return found as T
}

export const typesOf = (schema: Schema): readonly string[] =>
  typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
