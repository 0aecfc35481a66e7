import type { RequestHandler } from 'express'
import { printSchema } from 'graphql'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import type { Edge } from '../edge/edge.ts'
import { PublishedFile } from '../edge/published-file.ts'
import type { Graph } from '../graph/graph.ts'

export interface SchemaFileOptions {
  readonly graph: Pick<Graph, 'apiSchema' | 'mayIntrospect'>
  readonly edge: Pick<Edge, 'admit' | 'spend' | 'refuse'>
}

/** `GET /schema.graphql`: the schema as a file, for callers who may introspect. It is printed with its first request. */
export function schemaFile({ graph, edge }: SchemaFileOptions): RequestHandler {
  let file: PublishedFile | null = null
  return async (req, res) => {
    try {
      const admission = await edge.admit(req, res)
      if (!graph.mayIntrospect(admission.caller)) {
        throw new Refusal('UNAUTHENTICATED', 'Send Authorization or X-API-Key to read the schema.')
      }
      await edge.spend(admission, res)
      file ??= new PublishedFile(printSchema(graph.apiSchema))
      await file.send(req, res, {
        'Content-Type': 'text/plain; charset=utf-8',
        'Content-Disposition': 'attachment; filename="schema.graphql"',
        'Cache-Control': 'private, no-cache',
      })
    } catch (thrown) {
      edge.refuse(thrown, req, res)
    }
  }
}
