import type { Schema } from '@apollo/federation-internals'

/** What the planner's schemas keep of the documents from which they were built. Planning does not read it. */
interface Sources {
  cachedDocument?: unknown
}

/** Drops the syntax trees that a schema of the planner keeps for messages of composition errors: some ten megabytes. */
export function dropSources(schema: Schema): void {
  ;(schema as unknown as Sources).cachedDocument = undefined
  for (const element of schema.allSchemaElement()) element.sourceAST = undefined
  for (const definition of schema.allDirectives()) {
    for (const directive of definition.applications()) directive.sourceAST = undefined
  }
}
