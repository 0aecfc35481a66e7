import type { RequestHandler } from 'express'
import { printSchema } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { releaseVersion } from '../../subgraphs/kernel/config/paths.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import type { CachedExtensions } from '../../subgraphs/kernel/extension/cached-extensions.ts'
import type { Extensions } from '../../subgraphs/kernel/extension/extension.ts'
import type { Admission, Edge } from '../edge/edge.ts'
import { PublishedFile, shortDigest } from '../edge/published-file.ts'
import type { Graph } from '../graph/graph.ts'
import { OrganizationSchema } from '../graph/organization-schema.ts'

export interface SchemaFileOptions {
  readonly graph: Pick<Graph, 'apiSchema' | 'mayIntrospect'>
  readonly edge: Pick<Edge, 'admit' | 'spend' | 'refuse'>
}

/** Refuses callers who may not introspect, and counts the request. */
async function admitted(
  { graph, edge }: SchemaFileOptions,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<Admission> {
  const admission = await edge.admit(req, res)
  if (!graph.mayIntrospect(admission.caller)) {
    throw new Refusal('UNAUTHENTICATED', 'Send Authorization or X-API-Key to read the schema.')
  }
  await edge.spend(admission, res)
  return admission
}

const headersOf = (filename: string) => ({
  'Content-Type': 'text/plain; charset=utf-8',
  'Content-Disposition': `attachment; filename="${filename}"`,
  'Cache-Control': 'private, no-cache',
})

/** `GET /schema.graphql`: the schema as a file, for callers who may introspect. It is printed with its first request. */
export function schemaFile(options: SchemaFileOptions): RequestHandler {
  let file: PublishedFile | null = null
  return async (req, res) => {
    try {
      await admitted(options, req, res)
      file ??= new PublishedFile(printSchema(options.graph.apiSchema))
      await file.send(req, res, headersOf('schema.graphql'))
    } catch (thrown) {
      options.edge.refuse(thrown, req, res)
    }
  }
}

/** Characters of printed descriptions in memory, those last asked for: large ones take a long moment to print. */
const keptCharactersMax = 16_000_000

interface OrganizationSchemaOptions extends SchemaFileOptions {
  readonly extensions: Pick<CachedExtensions, 'load' | 'of'>
}

/**
 * `GET /v1/graphql/schema`: the record types that the organization has defined or added fields to, as far as the caller may read them. It is printed only
 * if the client does not have it: its `ETag` begins with the version of the definitions.
 */
export function organizationSchemaFile(options: OrganizationSchemaOptions): RequestHandler {
  const { graph, edge, extensions } = options
  const printed = new LRUCache<string, PublishedFile>({ maxSize: keptCharactersMax })
  const print = (schema: OrganizationSchema, etag: string, file: PublishedFile): string => {
    const text = schema.print()
    printed.set(etag, file, { size: text.length })
    return text
  }
  return async (req, res) => {
    try {
      const { caller } = await admitted(options, req, res)
      const { organizationId, fields } = caller
      const loading = extensions.load(organizationId)
      const defined = loading ? ((await loading) as Extensions | null) : extensions.of(organizationId)
      const schema = new OrganizationSchema(graph.apiSchema, defined?.shapes ?? null, caller)
      const readable = schema.shapes.map(({ object }) => object)
      const rights = shortDigest(JSON.stringify([organizationId, releaseVersion, readable, fields ?? null]))
      const etag = `"${defined?.version ?? 0}.${rights}"`
      const file: PublishedFile =
        printed.get(etag) ?? new PublishedFile({ etag, make: () => print(schema, etag, file) })
      await file.send(req, res, headersOf('organization.graphql'))
    } catch (thrown) {
      edge.refuse(thrown, req, res)
    }
  }
}
