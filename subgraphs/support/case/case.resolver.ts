import { Arg, Args, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import { UnfilteredPageArgs } from '../../kernel/record/list-args.ts'
import type { ConnectionArgs } from '../../kernel/record/list.ts'
import { typesWithLookups } from '../../kernel/record/lookup/lookup.ts'
import { registerLoadable } from '../../kernel/record/loadable-records.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { createdAfter, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import {
  CaseComment,
  CaseCommentConnection,
  CaseCommentConnectionArgs,
  CaseCommentCreateInput,
  CaseCommentPage,
} from '../case-comment/case-comment.ts'
import { caseComment } from './case.record.ts'
import { assignCase, commentOnCase, createCase, setCaseStatus, summarizeCase, updateCase } from './case.actions.ts'
import { Case, CaseStatus } from './case.ts'
import { supportCase } from './case.record.ts'
import { caseTypes } from './case.inputs.ts'
import { AssigneePageArgs, CaseAssignee, CaseStats, CaseSummary } from './case.shapes.ts'
import { caseAssignees, caseStats } from './case.stats.ts'
import { caseAutoClose } from './case-auto-close.job.ts'
import { caseSlaBreach } from './case-sla-breach.job.ts'
import { caseIndexes, caseTables, caseTotals, caseTurns } from './case.migrations.ts'
import { caseEntries } from './case.timeline.ts'

const cases = recordsOf(supportCase)
const comments = recordsOf(caseComment)

@Resolver(() => Case)
export class CaseResolver extends standardResolver(supportCase, {
  scope: 'CASES',
  types: caseTypes,
  actions: { create: createCase, update: updateCase },
  stats: { type: CaseStats, read: caseStats },
}) {
  @Query(() => [CaseAssignee], {
    description:
      'Active users to whom the caller can assign cases, sorted by name. A page with fewer users than `limit` is the last one.',
  })
  caseAssignees(@Args(() => AssigneePageArgs) args: AssigneePageArgs, @Ctx() ctx: RequestContext) {
    return caseAssignees(ctx, args)
  }

  @Query(() => CaseCommentPage, { description: 'Comments of a case, oldest first.' })
  async caseCommentList(
    @Arg('caseId', () => ID, { description: 'Id of the case.' }) caseId: string,
    @Args(() => UnfilteredPageArgs) args: UnfilteredPageArgs,
    @Arg('cursor', () => String, {
      nullable: true,
      description: '`nextCursor` of the previous page; replaces `page`.',
    })
    cursor: string | null,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    const { id } = await cases.require(ctx, caseId)
    return comments.page(
      ctx,
      { ...args, cursor, filter: { caseId: { eq: id } }, orderBy: [{ field: 'createdAt', direction: 'ASC' }] },
      info,
    )
  }

  @Mutation(() => Case, { description: 'Assigns the case to a user; null removes the assignee.' })
  @RequiresScope('CASES')
  caseAssign(
    @IdArg() id: string,
    @Arg('assignedToId', () => ID, {
      nullable: true,
      description: 'Id of the new assignee, an active user who may change records; null removes the assignee.',
    })
    assignedToId: string | null,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return assignCase(ctx, id, assignedToId ?? null, expectedVersion)
  }

  @Mutation(() => Case, {
    description:
      'Changes the status of the case, with the side effects of that status. The same status changes nothing.',
  })
  @RequiresScope('CASES')
  caseSetStatus(
    @IdArg() id: string,
    @Arg('status', () => CaseStatus, { description: 'The new status.' }) status: CaseStatus,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return setCaseStatus(ctx, id, status, expectedVersion)
  }

  @Mutation(() => CaseSummary, {
    description:
      'Writes a summary of the case, stores it as `aiSummary` and returns it. It covers the description and the newest comments: at most 200 whole comments, and at most 100,000 characters in total. The language model is called once; changes during the call are not summarized. If it does not answer or its answer cannot be used, fixed rules write the summary. MODEL_RATE_LIMITED after 30 texts of one credential in a minute, and 100 of the organization in a minute or 5,000 in a day.',
  })
  @RequiresScope('CASES')
  caseSummarize(@IdArg() id: string, @Ctx() ctx: RequestContext<'languageModel' | 'work'>) {
    return summarizeCase(ctx, id)
  }

  @Mutation(() => CaseComment, {
    description: 'Adds a comment to a case as the caller. The first public comment of a user is the first response.',
  })
  @RequiresScope('CASES')
  caseCommentCreate(
    @Arg('caseId', () => ID, { description: 'Id of the case.' }) caseId: string,
    @InputArg(() => CaseCommentCreateInput) input: RecordInput<CaseComment>,
    @Ctx() ctx: RequestContext,
  ) {
    return commentOnCase(ctx, caseId, input)
  }

  @FieldResolver(() => CaseCommentConnection, { description: 'Comments of the case, newest first by default.' })
  comments(
    @Root() root: Case,
    @Args(() => CaseCommentConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return comments.children(ctx, 'caseId', root.id, args, info)
  }
}

registerLoadable(supportCase, 'CASES')

export const caseResource: Resource = {
  resolver: CaseResolver,
  entities: { Case: supportCase },
  announces: [caseComment],
  // A refused deletion may name records that refer to the case.
  mentions: typesWithLookups,
  timeline: [caseEntries],
  migrations: [caseTables, caseIndexes, caseTotals, caseTurns],
  rest: restArea(supportCase, {
    path: 'cases',
    filters: [
      'status',
      'priority',
      'type',
      'origin',
      'accountId',
      'contactId',
      'ownerId',
      'assignedToId',
      'externalId',
      createdAfter,
      updatedAfter,
    ],
  }),
  jobs: [caseAutoClose, caseSlaBreach],
}
