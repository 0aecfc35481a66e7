import { notFound, Refusal, type FieldProblem, invalid } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { storableText } from '../../kernel/json/storable-json.ts'
import type { Column } from '../../kernel/record/column.ts'
import { isHidden, mayWrite } from '../../kernel/record/field-security.ts'
import { writableColumns } from '../../kernel/record/inputs.ts'
import type { Answering } from '../answer/answering.ts'
import { selectionOf } from '../question/compile.ts'
import { labelOf } from '../question/label.ts'
import { isPlain } from '../question/question.ts'
import { reader, type Row } from '../question/read-records.ts'
import { queryOf, requireRead, requireWrite, shapeOf } from '../tool/records.ts'
import type { Arguments, ToolCalling } from '../tool/tool.ts'
import { isNamed, requireNamedReferences } from './named.ts'
import type { ProposedAction } from './proposed-objects.ts'
import { storeProposal, type StoredProposal } from './store-proposal.ts'

export interface Change {
  readonly object: string
  readonly action: ProposedAction
  readonly id: string | null
  readonly input: Arguments
}

function requireWritable({ caller }: Answering, { object, action, input }: Change): void {
  const shape = shapeOf(object)
  const columns = writableColumns(shape.entity, action === 'create' ? 'CREATE' : 'UPDATE')
  const known = new Set(columns.map(({ name }) => name))
  known.delete('id')
  const names = Object.keys(input)
  const problems = names
    .filter((name) => !known.has(name))
    .map((name): FieldProblem => {
      const path = `input.${name.slice(0, 100)}`
      return { path, code: 'UNKNOWN_FIELD', message: `${path} is no field that can be set; describe names them.` }
    })
  if (names.length === 0) problems.push({ path: 'input', code: 'REQUIRED', message: 'input must set a field.' })
  if (problems.length > 0) throw invalid(...problems.slice(0, 10))
  const locked = names.filter((name) => !mayWrite(caller, shape, name))
  if (locked.length > 0) throw new Refusal('FIELD_NOT_WRITABLE', `You may not write ${locked.join(', ')}.`)
}

/** Values without parts of their own: a field that has some is not shown before a change. */
const isWhole = (column: Column): boolean =>
  isPlain(column) || (column.kind === 'json' && column.structure === undefined && column.shape === undefined)

/** The record with its names and the fields of the input, as far as the caller may read them. */
export async function readBefore(
  ctx: Answering,
  { object, input }: Pick<Change, 'object' | 'input'>,
  id: string,
): Promise<Row & { version: number }> {
  const shape = shapeOf(object)
  const readable = new Set(
    shape.columns.shown
      .filter((column) => isWhole(column) && !isHidden(ctx.caller, shape, column.name))
      .map(({ name }) => name),
  )
  const wanted = [...selectionOf(shape).split(' '), ...Object.keys(input)].filter((name) => readable.has(name))
  const select = [...new Set(['id', 'version', ...wanted])].join(' ')
  const document = `query ($id: ID!) { record: ${queryOf(shape)}(id: $id) { ${select} } }`
  const read = reader(ctx, ctx.caller, ctx.requestId)
  const { record } = await read<{ readonly record: (Row & { version: number }) | null }>({
    document,
    variables: { id },
  })
  if (!record) throw notFound('The record')
  return record
}

/**
 * Stores a change that its user may confirm within an hour. Text of records may tell a model what to propose, so after such text was read
 * only records can be concerned that the user has named. `words` is the change in the words of the platform, never in those of a model.
 */
export async function propose({ ctx, heard }: ToolCalling, change: Change, words?: string): Promise<StoredProposal> {
  const { caller } = ctx
  const { object, action, input } = change
  requireRead(caller, object)
  requireWrite(caller, object)
  requireWritable(ctx, change)
  const before = change.id === null ? null : await readBefore(ctx, change, change.id)
  const label = before && labelOf(shapeOf(object), before)
  if (heard?.isInfluenced) {
    if (before && !isNamed(heard, before.id, label))
      throw new Refusal(
        'PERMISSION_DENIED',
        'Only a change of a record that the user has named can be proposed after texts of records were read. Ask the user to name it.',
      )
    requireNamedReferences(heard, input, caller.userId)
  }
  const verb = action === 'create' ? 'Create' : 'Update'
  const named = `${verb} ${object}${label ? ` ${label}` : ''}: ${Object.keys(input).join(', ')}`
  const summary = storableText(words ?? named)
  const read = before && Object.keys(input).filter((name) => name in before)
  const old = read && Object.fromEntries(read.map((name) => [name, before[name] ?? null]))
  return storeProposal(ctx, heard, {
    object,
    action,
    recordId: before?.id ?? newId(),
    input,
    summary,
    before: old,
    expectedVersion: before?.version ?? null,
  })
}
