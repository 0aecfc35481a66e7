import { Ctx, Int, Query, Resolver } from 'type-graphql'
import { notFound } from '../../kernel/errors.ts'
import { withLatestExtensions } from '../../kernel/extension/current-extensions.ts'
import { CustomObjectArg, IdArg } from '../../kernel/record/args.ts'
import { customObject, customObjectScope } from '../../kernel/record/custom-object.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { operation } from '../../kernel/record/operation.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { RequiresScopes, scopeOf } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { RecordDifference, RecordVersionPage } from './history.types.ts'
import { readDifference } from './read-difference.ts'
import { readVersions } from './read-versions.ts'

const historyDescription = [
  'The versions of a record, newest first: when it was changed, by whom, and which fields. A deleted record has them, too.',
  'Visibility and profile are those of now: who sees the record sees its versions, without the fields that the profile hides.',
  'Versions whose events are not kept any more are not among them; events of at least 30 days are kept.',
].join(' ')
const differenceDescription = [
  'What differs between the states of a record at two times, without the fields that the profile of the caller hides. NOT_FOUND if there was no record at either of them.',
  'Rollups, formulas over other records and the time, and times that change without a new version are not compared.',
  'HISTORY_NOT_KEPT if the events since then are not kept.',
].join(' ')

const CursorArg = () =>
  ValueArg('cursor', () => String, {
    nullable: true,
    max: 40,
    description: '`nextCursor` of the page before; null for the first page.',
    example: '5120-4',
  })
const LimitArg = () =>
  ValueArg('limit', () => Int, {
    default: 20,
    minimum: 1,
    maximum: 100,
    description: 'Versions of a page. A page of large records has fewer.',
    example: 20,
  })
const FromArg = () =>
  ValueArg('from', () => DateTime, { description: 'The earlier time.', example: '2026-07-01T08:00:00.000Z' })
const ToArg = () =>
  ValueArg('to', () => DateTime, {
    nullable: true,
    description: 'The later time; null: now.',
    example: '2026-07-31T08:00:00.000Z',
  })

const historySummary = { summary: 'List the versions', answers: 'A page of the versions.' } as const
const differenceSummary = { summary: 'Compare two times', answers: 'The difference.' } as const

/** `<type>History` and `<type>Diff` of a record type. */
function historyOf(object: string, prefix: string, scope: string, path: string): Resource {
  const shapeIn = (ctx: RequestContext): RecordShape => shapeFor(ctx, recordType(object)())

  @Resolver()
  class HistoryResolver {
    @Query(() => RecordVersionPage, { name: `${prefix}History`, description: historyDescription })
    @RequiresScopes(scopeOf('READ', scope))
    readHistory(
      @IdArg() id: string,
      @CursorArg() cursor: string | null,
      @LimitArg() limit: number,
      @Ctx() ctx: RequestContext,
    ) {
      return readVersions(ctx, shapeIn(ctx), { id, cursor: cursor ?? null, limit })
    }

    @Query(() => RecordDifference, { name: `${prefix}Diff`, description: differenceDescription })
    @RequiresScopes(scopeOf('READ', scope))
    readDiff(@IdArg() id: string, @FromArg() from: string, @ToArg() to: string | null, @Ctx() ctx: RequestContext) {
      return readDifference(ctx, shapeIn(ctx), { id, from, to: to ?? null })
    }
  }
  return {
    resolver: HistoryResolver,
    mentions: [object],
    operations: [
      operation(`GET /v1/${path}/{id}/history`, `${prefix}History`, historySummary),
      operation(`GET /v1/${path}/{id}/diff`, `${prefix}Diff`, differenceSummary),
    ],
  }
}

/** The custom object with this name. One that this process does not know may have been created a moment ago by another. */
async function customShapeIn(ctx: RequestContext, name: string): Promise<[RequestContext, RecordShape]> {
  for (const current of [() => ctx, () => withLatestExtensions(ctx)]) {
    const inner = await current()
    const shape = inner.shapes?.custom(customObject(name)) as RecordShape | null | undefined
    if (shape) return [inner, shape]
  }
  throw notFound('The custom object')
}

@Resolver()
class CustomRecordHistoryResolver {
  @Query(() => RecordVersionPage, { description: historyDescription })
  @RequiresScopes(customObjectScope)
  async customRecordHistory(
    @CustomObjectArg() object: string,
    @IdArg() id: string,
    @CursorArg() cursor: string | null,
    @LimitArg() limit: number,
    @Ctx() ctx: RequestContext,
  ) {
    const [current, shape] = await customShapeIn(ctx, object)
    return readVersions(current, shape, { id, cursor: cursor ?? null, limit })
  }

  @Query(() => RecordDifference, { description: differenceDescription })
  @RequiresScopes(customObjectScope)
  async customRecordDiff(
    @CustomObjectArg() object: string,
    @IdArg() id: string,
    @FromArg() from: string,
    @ToArg() to: string | null,
    @Ctx() ctx: RequestContext,
  ) {
    const [current, shape] = await customShapeIn(ctx, object)
    return readDifference(current, shape, { id, from, to: to ?? null })
  }
}

const ofCustomRecord = { folder: 'custom-records', parameters: { name: 'object' } } as const
const customRecords = 'GET /v1/custom-objects/{name}/records/{id}'

export const historyResources: readonly Resource[] = [
  historyOf('lead', 'lead', 'LEADS', 'leads'),
  historyOf('contact', 'contact', 'CONTACTS', 'contacts'),
  historyOf('account', 'account', 'ACCOUNTS', 'accounts'),
  historyOf('opportunity', 'opportunity', 'OPPORTUNITIES', 'opportunities'),
  historyOf('task', 'task', 'TASKS', 'tasks'),
  historyOf('activity', 'activity', 'ACTIVITIES', 'activities'),
  historyOf('file', 'file', 'FILES', 'files'),
  historyOf('product', 'product', 'PRODUCTS', 'products'),
  historyOf('quote', 'quote', 'QUOTES', 'quotes'),
  historyOf('order', 'order', 'ORDERS', 'orders'),
  historyOf('invoice', 'invoice', 'INVOICES', 'invoices'),
  historyOf('credit_note', 'creditNote', 'INVOICES', 'credit-notes'),
  historyOf('case', 'case', 'CASES', 'cases'),
  historyOf('email_template', 'emailTemplate', 'EMAIL_TEMPLATES', 'email-templates'),
  historyOf('mailbox', 'mailbox', 'MAILBOXES', 'email-tracking/mailboxes'),
  historyOf('smart_email_draft', 'smartEmailDraft', 'EMAILS', 'smart-email/drafts'),
  {
    resolver: CustomRecordHistoryResolver,
    operations: [
      operation(`${customRecords}/history`, 'customRecordHistory', { ...historySummary, ...ofCustomRecord }),
      operation(`${customRecords}/diff`, 'customRecordDiff', { ...differenceSummary, ...ofCustomRecord }),
    ],
  },
]
