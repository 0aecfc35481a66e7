import { rowBytesMax, rowsTooLarge } from '../answer-size.ts'
import { largeFrom, ownEventLoopTurn } from '../turn.ts'
import type { Row, Sql } from './database.ts'

/** Fewer are not worth remembering: an operation makes no more than some dozen statements. */
const notedFrom = 65_536

const noted = new WeakMap<readonly object[], number>()

/** To be told of the rows of every statement: how many bytes they had as PostgreSQL sent them. */
export function noteBytes(rows: readonly object[], bytes: number): void {
  if (bytes >= notedFrom) noted.set(rows, bytes)
}

/** The same place, where all statements together read no more than one operation may. */
export function withinRowBytes(sql: Sql, read = { bytes: 0 }): Sql {
  const counted = <R>(rows: R[]): R[] | Promise<R[]> => {
    const bytes = noted.get(rows as object[]) ?? 0
    read.bytes += bytes
    if (read.bytes > rowBytesMax) throw rowsTooLarge()
    return bytes < largeFrom ? rows : ownEventLoopTurn().then(() => rows)
  }
  return {
    open: sql.open,
    query: <R = Row>(...statement: Parameters<Sql['query']>) => sql.query<R>(...statement).then(counted<R>),
    transaction: (work) => sql.transaction((inside) => work(withinRowBytes(inside, read))),
  }
}
