import type { DryRunEvent } from '../dry-run.ts'
import type { Sql } from '../database/sql.ts'
import { TriedFiles } from '../file/tried-files.ts'
import type { RequestContext } from '../request.ts'
import { eventsOf } from './run-dry.ts'

/** Thrown to roll back a transaction and still return its result. */
class Tried<T> extends Error {
  constructor(readonly result: T) {
    super('tried')
  }
}

/**
 * A context in which what no document expresses, such as taking the bytes of a file, is tried in a dry run: the bytes are measured while no transaction is open,
 * and each transaction is rolled back. It tells its events to `events`. Otherwise the given context.
 */
export function triedContext<C extends RequestContext<'files'>>(ctx: C, events: DryRunEvent[] | undefined): C {
  if (!ctx.dryRun) return ctx
  const { db } = ctx
  const files = new TriedFiles(ctx.files.options)
  const trying: Sql = {
    open: false,
    query: (...statement) => db.query(...statement),
    byId: (...lookup) => db.byId(...lookup),
    async transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
      try {
        return await db.transaction(async (sql) => {
          await files.insertWritten(sql)
          const result = await work(sql)
          events?.push(...(await eventsOf({ ...ctx, db: sql })))
          throw new Tried(result)
        })
      } catch (error) {
        if (error instanceof Tried) return error.result as T
        throw error
      }
    },
  }
  return { ...ctx, db: trying, files }
}
