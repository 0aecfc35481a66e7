import { auditRecord } from '../../identity/public.ts'
import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { deleteRow, insertRow, updateRow, writeChange } from '../../kernel/record/write-change.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { lockFunction, requireFunction } from '../function/find-function.ts'
import { requireRightToProgram } from '../function/function.rules.ts'

const table = 'extensions.function_test'

/** A test of a function as it is stored. Without its text where only the digest was read. */
export interface StoredTest extends Record<string, unknown> {
  readonly functionId: string
  readonly name: string
  readonly sha256: string
  readonly text: string | null
}

/** The tests of all functions of the organization, or of some, by their names. */
export const storedTests = (
  { db, caller }: RequestContext,
  hasTexts: boolean,
  functionIds: readonly string[] | null,
): Promise<StoredTest[]> =>
  db.query<StoredTest>(
    `select t.function_id as "functionId", t.name, encode(sha256(convert_to(t.content, 'UTF8')), 'hex') as sha256,
       ${hasTexts ? 't.content' : 'null'} as text
     from ${table} t
     join extensions.function f on f.organization_id = t.organization_id and f.id = t.function_id
     where t.organization_id = $1 and f.deleted_at is null and ($2::uuid[] is null or f.id = any($2)) order by t.name collate "C"`,
    [caller.organizationId, functionIds],
  )

interface ChangedTest {
  readonly id: string
  readonly name: string
}

/** The audit log says who changed which test of which function, and has no content. */
const testChanges: TrackedObject<ChangedTest> = {
  object: 'function_test',
  audit: auditRecord('function_test', ({ id, name }) => ({ functionId: id, name })),
}

/** Makes these the tests of a function, by their names, and deletes its others. */
export async function replaceTests(
  ctx: RequestContext,
  functionId: string,
  wanted: Readonly<Record<string, string>>,
): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const found = await requireFunction(inner, functionId)
    await requireRightToProgram(inner, found)
    await lockFunction(inner, functionId)
    const key = { organization_id: inner.caller.organizationId, function_id: functionId }
    const before = await inner.db.query<{ name: string; content: string }>(
      `select name, content from ${table} where organization_id = $1 and function_id = $2 order by name`,
      Object.values(key),
    )
    const known = new Map(before.map(({ name, content }) => [name, content]))
    for (const name of known.keys()) if (!Object.hasOwn(wanted, name)) await write(inner, 'DELETE', key, name)
    for (const [name, content] of Object.entries(wanted))
      if (known.get(name) !== content) await write(inner, known.has(name) ? 'UPDATE' : 'CREATE', key, name, content)
  })
}

async function write(
  ctx: RequestContext,
  operation: 'CREATE' | 'UPDATE' | 'DELETE',
  key: { readonly organization_id: string; readonly function_id: string },
  name: string,
  content = '',
): Promise<void> {
  const next = { id: key.function_id, name }
  const previous = operation === 'DELETE' ? next : null
  await writeChange(ctx, testChanges, { operation, previous, next }, (values) => {
    if (operation === 'DELETE') return deleteRow(values, table, { ...key, name })
    if (operation === 'UPDATE') return updateRow(values, table, { content }, { ...key, name })
    return insertRow(values, table, { ...key, name, content })
  })
}
