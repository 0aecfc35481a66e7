import { notFound } from '../../kernel/errors.ts'
import { writableColumns } from '../../kernel/record/inputs.ts'
import { mayWrite } from '../../kernel/record/field-security.ts'
import { compileLists, selectionOf } from '../question/compile.ts'
import { mayReadType } from '../question/find-names.ts'
import { citationsOf, reader, type Lists, type Row } from '../question/read-records.ts'
import { askQuestion, questionSchema } from '../question/public.ts'
import { proposedObjects } from '../proposal/proposed-objects.ts'
import { idIn, objectIn, oneIn, refuse, textIn } from './check-arguments.ts'
import { fieldOf, objectParameter, queryOf, readableColumns, requireRead, shapeOf, toolObjects } from './records.ts'
import type { Arguments, Tool, ToolCalling, ToolOutput } from './tool.ts'

const readOnly = { effect: 'READ', isUntrusted: true } as const
const parameters = (required: readonly string[], properties: object) => ({
  type: 'object',
  required,
  additionalProperties: false,
  properties,
})

const viewerDocument = `{ viewer {
  credential scopes userId name role visibility timezone now
  organization { id name timezone baseCurrency fiscalYearStartMonth }
} }`

export const whoami: Tool = {
  ...readOnly,
  isUntrusted: false,
  name: 'whoami',
  title: 'Who am I',
  description:
    'The user for whom you act: id, name, role, which records the user sees, time and time zone; the scopes of the credential; the organization with its currency and fiscal year.',
  parameters: parameters([], {}),
  async run({ ctx }): Promise<ToolOutput> {
    const { viewer } = await reader(
      ctx,
      ctx.caller,
      ctx.requestId,
    )<{ viewer: object }>({
      document: viewerDocument,
      variables: {},
    })
    return { content: viewer, rows: 0, citations: [] }
  },
}

export const describe: Tool = {
  ...readOnly,
  isUntrusted: false,
  name: 'describe',
  title: 'Describe a record type',
  description:
    'The fields of a record type that you may read, with their kinds and the values of enumerations, and those that propose_change may set. Without object: the record types.',
  parameters: parameters([], { object: objectParameter }),
  async run({ ctx: { caller } }, given): Promise<ToolOutput> {
    if (given['object'] === undefined) {
      const content = { objects: toolObjects, proposable: proposedObjects }
      return { content, rows: toolObjects.length, citations: [] }
    }
    const object = oneIn(given, 'object', toolObjects)
    requireRead(caller, object)
    const shape = shapeOf(object)
    const fields = readableColumns(caller, shape).map(fieldOf)
    const writable = (operation: 'CREATE' | 'UPDATE') =>
      writableColumns(shape.entity, operation)
        .map(({ name }) => name)
        .filter((name) => mayWrite(caller, shape, name))
    const proposable = proposedObjects.includes(object)
      ? { create: writable('CREATE'), update: writable('UPDATE') }
      : null
    return { content: { object, fields, proposable }, rows: fields.length, citations: [] }
  },
}

const documentMax = 10_000
const costMax = 2_000
const timeoutMs = 5_000

export const query: Tool = {
  ...readOnly,
  name: 'query',
  title: 'Query the graph',
  description:
    'Runs a GraphQL query, for what the other tools do not give. Mutations and subscriptions are refused. Lists take filter, search, orderBy, limit and page: { accountList(filter: {name: {contains: "Acme"}}, limit: 5) { total data { id name } } }',
  parameters: parameters(['document'], {
    document: { type: 'string', maxLength: documentMax, description: 'One query operation.' },
    variables: { type: 'object', description: 'Values of its variables.' },
  }),
  async run({ ctx: { graph, caller, requestId } }, given): Promise<ToolOutput> {
    const document = textIn(given, 'document', 1, documentMax)
    const variables = given['variables'] === undefined ? {} : objectIn(given, 'variables')
    const { data, errors } = await graph.read({ document, variables, costMax }, caller, { requestId, timeoutMs })
    const told = errors.slice(0, 5).map(({ message, path, extensions }) => ({
      message,
      ...(path && { path }),
      code: extensions?.['code'] ?? null,
    }))
    return { content: { data, ...(told.length > 0 && { errors: told }) }, rows: 0, citations: [] }
  },
}

const searchRows = 3
/** Totals of eleven record types; less than half of what a client may ask for. */
const searchCostMax = 4_000

/** The list of the records of a type with the text, with the fields that the caller may read. */
function searchPart({ ctx }: ToolCalling, object: string, search: string) {
  const shape = shapeOf(object)
  const hidden = new Set(shape.columns.shown.map(({ name }) => name))
  for (const { name } of readableColumns(ctx.caller, shape)) hidden.delete(name)
  const select = selectionOf(shape)
    .split(' ')
    .filter((name) => !hidden.has(name))
    .join(' ')
  return { alias: object, shape, filter: null, search, limit: searchRows, select }
}

export const search: Tool = {
  ...readOnly,
  name: 'search',
  title: 'Search records',
  description: `Finds records by a text, such as the name of a company or a person; of each record type the number of all and the first ${searchRows}.`,
  parameters: parameters(['text'], {
    text: { type: 'string', minLength: 2, maxLength: 200, description: 'What a searchable field contains.' },
    object: { ...objectParameter, description: 'Only this record type.' },
  }),
  async run(calling, given): Promise<ToolOutput> {
    const { ctx } = calling
    const text = textIn(given, 'text', 2, 200)
    const only = given['object'] === undefined ? null : oneIn(given, 'object', toolObjects)
    // A record type that the caller may not read has no hits; one that is named is refused.
    const objects = only === null ? toolObjects.filter((object) => mayReadType(ctx.caller, object)) : [only]
    const parts = objects.map((object) => searchPart(calling, object, text))
    // One query for all types, so that a call is one read for every limit.
    const read = reader(ctx, ctx.caller, ctx.requestId, searchCostMax)
    const lists = parts.length === 0 ? {} : await read<Lists>(compileLists(parts))
    const hits = parts.map(({ alias: object, shape }) => {
      const { total, data: rows } = lists[object]!
      return { object, total: total!, rows: rows!, citations: citationsOf(shape, rows!) }
    })
    const some = hits.filter(({ total }) => total > 0)
    return {
      content: { hits: some.map(({ object, total, rows }) => ({ object, total, rows })) },
      rows: some.reduce((sum, { rows }) => sum + rows.length, 0),
      citations: some.flatMap(({ citations }) => citations),
    }
  },
}

const textMax = 2_000
const short = (value: unknown): unknown =>
  typeof value === 'string' && value.length > textMax ? `${value.slice(0, textMax).toWellFormed()}…` : value

export const get: Tool = {
  ...readOnly,
  name: 'get',
  title: 'Get a record',
  description: 'One record with all its plain fields. Long texts are cut.',
  parameters: parameters(['object', 'id'], {
    object: objectParameter,
    id: { type: 'string', description: 'Id of the record, a UUID.' },
  }),
  async run({ ctx }, given): Promise<ToolOutput> {
    const object = oneIn(given, 'object', toolObjects)
    const id = idIn(given, 'id')
    const shape = shapeOf(object)
    const select = readableColumns(ctx.caller, shape).map(({ name }) => name)
    const document = `query ($id: ID!) { record: ${queryOf(shape)}(id: $id) { ${select.join(' ')} } }`
    const read = reader(ctx, ctx.caller, ctx.requestId)
    const { record } = await read<{ readonly record: Row | null }>({ document, variables: { id } })
    if (!record) throw notFound('The record')
    const values = Object.fromEntries(Object.entries(record).map(([name, value]) => [name, short(value)]))
    return { content: { object, record: values }, rows: 1, citations: citationsOf(shape, [record]) }
  },
}

export const ask: Tool = {
  ...readOnly,
  name: 'ask',
  title: 'Ask for figures and lists',
  description:
    'Answers one typed question exactly: COUNT, SUM, AVERAGE, LIST, TOP, GROUP by a field, or RECORD, TIMELINE and SCORE of the record with the condition id eq. Use it for every number. Call describe first for the names of fields and values.',
  parameters: questionSchema,
  async run({ ctx }, given: Arguments): Promise<ToolOutput> {
    const { total, rows, figures, groups, isTooMany, citations } = await askQuestion(
      ctx,
      ctx.caller,
      given,
      ctx.requestId,
    )
    if (isTooMany) return refuse('filters', `narrower: ${total} records are too many for an exact figure`)
    return { content: { total, figures, groups, rows }, rows: rows.length, citations }
  },
}
