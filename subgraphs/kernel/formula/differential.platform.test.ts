import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { isFullSweep } from '../../../test/requests/sweep.ts'
import { compileRow, inJs, momentValues, Rows, rowSource, sqlText, zone } from './formula.fixture.ts'
import {
  Random,
  randomRow,
  randomTree,
  returnTypes,
  smaller,
  textOf,
  type ResultType,
  type Tree,
} from './random-formula.fixture.ts'
import type { Formula } from './formula.ts'
import { FormulaError } from './problem.ts'

// The evaluators in JavaScript and in SQL must give the same values for random formulas and rows. `FORMULA_SEED` repeats a failure.

const seed = Number(process.env['FORMULA_SEED'] ?? 20_261_129)
const formulaCount = isFullSweep ? 1_000_000 : 10_000
const perStatement = 50
const rowCount = 6
/** New rows after so many statements. */
const statementsPerRows = 20

let fresh: FreshDatabase

beforeAll(async () => {
  fresh = await freshDatabase()
})

afterAll(() => fresh.drop())

interface Candidate {
  readonly tree: Tree
  readonly text: string
  readonly formula: Formula
}

/** Null for a formula that is too complex. */
function compiled(tree: Tree, blankAs: 'ZERO' | 'BLANK', decimals: number): Candidate | null {
  const text = textOf(tree)
  try {
    return { tree, text, formula: compileRow(text, returnTypes[tree.type as ResultType], { blankAs, decimals }) }
  } catch (error) {
    if (error instanceof FormulaError && error.problems.every(({ code }) => code === 'FORMULA_TOO_COMPLEX')) return null
    throw new Error(`${text} is refused: ${String(error)}`, { cause: error })
  }
}

async function valuesInSql(formulas: readonly Formula[]): Promise<(string | null)[][]> {
  const rows = await fresh.database.query<{ values: (string | null)[] }>(
    `select array[${formulas.map(sqlText).join(',\n')}] as values from ${rowSource}
     where ($1::date, $2::timestamptz, $3::text) is not null order by r.id`,
    [...momentValues],
  )
  return rows.map(({ values }) => values)
}

/** The first difference of a formula; null if there is none. */
async function differenceOf({ text, formula }: Candidate, rows: Rows): Promise<string | null> {
  const sql = await valuesInSql([formula]).catch((error: Error) => error.message)
  if (typeof sql === 'string') return `${text}: ${sql} in SQL`
  const index = rows.records.findIndex((row, at) => inJs(formula, row) !== sql[at]![0])
  if (index < 0) return null
  const [js, other] = [inJs(formula, rows.records[index]!), sql[index]![0]]
  return `${text}\nis ${JSON.stringify(js)} in JavaScript and ${JSON.stringify(other)} in SQL, for ${JSON.stringify(rows.records[index])}`
}

/** The smallest formula that still differs. */
async function shrunk(found: Candidate, rows: Rows, compile: (tree: Tree) => Candidate | null): Promise<string> {
  let smallest = found
  for (let tries = 500, isSmaller = true; isSmaller && tries > 0;) {
    isSmaller = false
    for (const tree of smaller(smallest.tree)) {
      const candidate = compile(tree)
      if (tries-- <= 0) break
      if (!candidate || (await differenceOf(candidate, rows)) === null) continue
      smallest = candidate
      isSmaller = true
      break
    }
  }
  return (await differenceOf(smallest, rows))!
}

async function firstDifference(candidates: readonly Candidate[], rows: Rows): Promise<Candidate | null> {
  const sql = await valuesInSql(candidates.map(({ formula }) => formula)).catch(() => null)
  if (sql)
    return (
      candidates.find(({ formula }, at) => rows.records.some((row, index) => inJs(formula, row) !== sql[index]![at])) ??
      null
    )
  for (const candidate of candidates) if ((await differenceOf(candidate, rows)) !== null) return candidate
  return null
}

it(
  `gives the same in JavaScript and SQL for ${formulaCount} random formulas, each for ${rowCount} rows (seed ${seed}, zone ${zone})`,
  { timeout: isFullSweep ? 7_200_000 : 120_000 },
  async () => {
    const random = new Random(seed)
    let rows = new Rows([])
    for (let tried = 0, statement = 0; tried < formulaCount; statement++) {
      if (statement % statementsPerRows === 0) {
        rows = new Rows(Array.from({ length: rowCount }, (_, index) => randomRow(random, index)))
        await rows.createIn(fresh.database)
      }
      const blankAs = random.from(['ZERO', 'BLANK'] as const)
      const decimals = random.from([0, 2, 20])
      const compile = (tree: Tree): Candidate | null => compiled(tree, blankAs, decimals)
      const candidates: Candidate[] = []
      while (candidates.length < perStatement) {
        const candidate = compile(randomTree(random))
        if (candidate) candidates.push(candidate)
      }
      tried += candidates.length
      const found = await firstDifference(candidates, rows)
      if (found)
        expect.fail(
          `Seed ${seed}, statement ${statement}, blankAs ${blankAs}, decimals ${decimals}: ${await shrunk(found, rows, compile)}`,
        )
    }
  },
)
