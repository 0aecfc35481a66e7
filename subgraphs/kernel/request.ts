import type { Logger } from 'pino'
import type { Clock } from './clock.ts'
import type { OperationContext } from './context.ts'
import type { Sql } from './database/database.ts'
import type { LanguageModel } from './language-model.ts'

/** What a subgraph needs beside its own code; built once by the composition root. */
export interface Services {
  readonly database: Sql
  readonly clock: Clock
  readonly log: Logger
  readonly languageModel: LanguageModel
}

/** One operation inside one subgraph. `db` is the pool, or the transaction that the operation runs in. */
export interface RequestContext extends OperationContext {
  readonly db: Sql
  readonly clock: Clock
  readonly log: Logger
  readonly languageModel: LanguageModel
  /** Reads of this operation that wait to be joined, by what they ask for. */
  readonly batches: Map<object, Map<string, unknown>>
}

export const requestContext = (operation: OperationContext, services: Services, db: Sql = services.database): RequestContext => ({
  ...operation,
  db,
  clock: services.clock,
  log: services.log,
  languageModel: services.languageModel,
  batches: new Map(),
})

/** Runs `work` so that everything it writes commits together; inside an open transaction it is a savepoint. */
export function inTransaction<T>(ctx: RequestContext, work: (ctx: RequestContext) => Promise<T>): Promise<T> {
  return ctx.db.transaction((db) => work({ ...ctx, db }))
}
