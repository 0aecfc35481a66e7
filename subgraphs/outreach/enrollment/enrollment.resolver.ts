import { Arg, Args, Ctx, FieldResolver, ID, Info, Int, Mutation, Query, Resolver, Root } from 'type-graphql'
import { invalid } from '../../kernel/errors.ts'
import { IdArg } from '../../kernel/record/args.ts'
import type { ConnectionArgs, PageArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { sequence } from '../sequence/sequence.record.ts'
import { Sequence } from '../sequence/sequence.ts'
import { SequenceAttempt } from './attempt.ts'
import {
  attemptsMax,
  attemptsOf,
  enrollments,
  mailsOf,
  requireVisibleRecord,
  SequenceDeliveredMail,
} from './delivery.ts'
import { enroll, enrollMany } from './enroll.ts'
import { SequenceBulkEnrollInput, SequenceBulkEnrollResult, SequenceEnrollInput } from './enroll.inputs.ts'
import { pauseEnrollment, requireSequence, resumeEnrollment, unenroll } from './enrollment.actions.ts'
import { SequenceEnrollmentStatus, SequenceEntityType } from './enrollment.enumerations.ts'
import {
  SequenceEnrollmentConnection,
  SequenceEnrollmentConnectionArgs,
  SequenceEnrollmentPage,
  SequenceEnrollmentPageArgs,
} from './enrollment.inputs.ts'
import { sequenceEnrollment } from './enrollment.record.ts'
import { SequenceEnrollment } from './enrollment.ts'
import { processStep } from './process-step.ts'
import {
  enrollmentCustomFields,
  enrollmentFilterIndexes,
  sequenceCallTable,
  sequenceStopBegins,
} from './enrollment.migrations.ts'
import { sequenceStopConsumer } from './stop/stop-consumer.ts'
import { forgetSequenceCalls, sequenceCallQueue } from './run/webhook-call.queue.ts'
import { forgetSenderDays, sequenceRun } from './run/run-sequences.job.ts'

const SequenceId = () => Arg('id', () => ID, { description: 'Id of the sequence.' })
const EnrollmentId = () => Arg('enrollmentId', () => ID, { description: 'Id of an enrollment in the sequence.' })
const Page = () =>
  Arg('page', () => Int, { defaultValue: 1, description: 'Number of the page, from 1. Ignored with `cursor`.' })
const Limit = () => Arg('limit', () => Int, { defaultValue: 20, description: 'Enrollments on a page, 1 to 100.' })
const Cursor = () =>
  Arg('cursor', () => String, { nullable: true, description: '`nextCursor` of the previous page; replaces `page`.' })
const Reason = (what: string) =>
  Arg('reason', () => String, { nullable: true, description: `${what} At most 500 characters; null without one.` })

type Cursored = string | null | undefined

@Resolver(() => SequenceEnrollment)
export class EnrollmentResolver {
  @Query(() => SequenceEnrollment, { nullable: true, description: 'Returns one enrollment.' })
  sequenceEnrollment(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return enrollments.one(ctx, id, info)
  }

  @Query(() => SequenceEnrollmentPage, { description: 'Enrollments that the caller sees, newest first by default.' })
  sequenceEnrollmentList(
    @Args(() => SequenceEnrollmentPageArgs) args: PageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return enrollments.page(ctx, args, info)
  }

  @Query(() => SequenceEnrollmentConnection, {
    description: 'Enrollments that the caller sees, in the form of a connection.',
  })
  sequenceEnrollmentConnection(
    @Args(() => SequenceEnrollmentConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return enrollments.connection(ctx, args, info)
  }

  @Query(() => SequenceEnrollmentPage, {
    description: 'Enrollments in one sequence that the caller sees, newest first.',
  })
  async sequenceEnrollments(
    @SequenceId() id: string,
    @Arg('status', () => [SequenceEnrollmentStatus], {
      nullable: true,
      description: 'Only enrollments with one of these statuses; null: all.',
    })
    status: SequenceEnrollmentStatus[] | null | undefined,
    @Page() page: number,
    @Limit() limit: number,
    @Cursor() cursor: Cursored,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    await requireSequence(ctx, id)
    const filter = { sequenceId: { eq: id }, ...(status && { status: { in: status } }) }
    return enrollments.page(ctx, { filter, page, limit, cursor: cursor ?? null } as PageArgs, info)
  }

  @Query(() => SequenceEnrollmentPage, {
    description: 'Enrollments of one lead or contact that the caller sees, running and past ones, newest first.',
  })
  async sequenceEnrollmentsForRecord(
    @Arg('entityType', () => SequenceEntityType, { description: 'LEAD or CONTACT.' }) entityType: SequenceEntityType,
    @Arg('entityId', () => ID, { description: 'Id of the lead or contact, one that the caller sees.' })
    entityId: string,
    @Page() page: number,
    @Limit() limit: number,
    @Cursor() cursor: Cursored,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    await requireVisibleRecord(ctx, entityType, entityId)
    const filter = { entityId: { eq: entityId }, entityType: { eq: entityType } }
    return enrollments.page(ctx, { filter, page, limit, cursor: cursor ?? null } as PageArgs, info)
  }

  @Query(() => SequenceEnrollmentPage, {
    description:
      'What became of the mails of sequences: enrollments that the caller sees, running and past ones, newest first, of one lead or contact or of all.',
  })
  async sequenceDelivery(
    @Arg('entityType', () => SequenceEntityType, {
      nullable: true,
      description: 'LEAD or CONTACT; required with entityId. Null: all enrollments.',
    })
    entityType: SequenceEntityType | null | undefined,
    @Arg('entityId', () => ID, {
      nullable: true,
      description: 'Id of the lead or contact, one that the caller sees; required with entityType.',
    })
    entityId: string | null | undefined,
    @Page() page: number,
    @Limit() limit: number,
    @Cursor() cursor: Cursored,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    if ((entityType == null) !== (entityId == null)) {
      const path = entityType == null ? 'entityType' : 'entityId'
      throw invalid({ path, code: 'REQUIRED', message: 'entityType and entityId must be given together.' })
    }
    if (entityType == null || entityId == null)
      return enrollments.page(ctx, { page, limit, cursor: cursor ?? null } as PageArgs, info)
    await requireVisibleRecord(ctx, entityType, entityId)
    const filter = { entityId: { eq: entityId }, entityType: { eq: entityType } }
    return enrollments.page(ctx, { filter, page, limit, cursor: cursor ?? null } as PageArgs, info)
  }

  @FieldResolver(() => Sequence, {
    nullable: true,
    description: 'The sequence; null if it was deleted or the caller does not see it.',
  })
  sequence(@Root() { sequenceId }: SequenceEnrollment, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return recordsOf(sequence).reference(ctx, sequenceId, info)
  }

  @FieldResolver(() => [SequenceAttempt], {
    description: `The executions of its steps, oldest first, at most ${attemptsMax}.`,
  })
  attempts(@Root() { id }: SequenceEnrollment, @Ctx() ctx: RequestContext) {
    return attemptsOf(ctx, id)
  }

  @FieldResolver(() => [SequenceDeliveredMail], {
    description: `What became of its mails, oldest first, at most ${attemptsMax}.`,
  })
  mails(@Root() { id }: SequenceEnrollment, @Ctx() ctx: RequestContext) {
    return mailsOf(ctx, id)
  }

  @Mutation(() => SequenceEnrollment, {
    description:
      'Enrolls a lead or contact in an ACTIVE sequence. Its first step is executed within a minute of its time. A record with a running enrollment, without a usable address for a sequence with mails, or whose person does not want to be contacted is refused: reason of the error says why. EMAIL_NOT_VERIFIED if the sequence has mails and the sender has neither a verified address nor a mailbox.',
  })
  @RequiresScope('SEQUENCES')
  sequenceEnroll(
    @SequenceId() id: string,
    @Arg('input', () => SequenceEnrollInput, { description: 'What to enroll.' }) input: SequenceEnrollInput,
    @Ctx() ctx: RequestContext,
  ) {
    return enroll(ctx, id, input)
  }

  @Mutation(() => SequenceBulkEnrollResult, {
    description: 'Enrolls up to 500 leads or contacts, each independently of the others, with a result for each.',
  })
  @RequiresScope('SEQUENCES')
  sequenceEnrollBulk(
    @SequenceId() id: string,
    @Arg('input', () => SequenceBulkEnrollInput, { description: 'What to enroll.' }) input: SequenceBulkEnrollInput,
    @Ctx() ctx: RequestContext,
  ) {
    return enrollMany(ctx, id, input)
  }

  @Mutation(() => SequenceEnrollment, {
    description: 'Pauses an ACTIVE enrollment; the delay that is left of its current step is kept.',
  })
  @RequiresScope('SEQUENCES')
  sequencePauseEnrollment(
    @SequenceId() id: string,
    @EnrollmentId() enrollmentId: string,
    @Reason('Why it is paused.') reason: string | null | undefined,
    @Ctx() ctx: RequestContext,
  ) {
    return pauseEnrollment(ctx, id, enrollmentId, reason)
  }

  @Mutation(() => SequenceEnrollment, {
    description: 'Lets a PAUSED enrollment go on with the delay that was left when it was paused.',
  })
  @RequiresScope('SEQUENCES')
  sequenceResumeEnrollment(@SequenceId() id: string, @EnrollmentId() enrollmentId: string, @Ctx() ctx: RequestContext) {
    return resumeEnrollment(ctx, id, enrollmentId)
  }

  @Mutation(() => SequenceEnrollment, {
    description: 'Ends an ACTIVE or PAUSED enrollment with the status UNENROLLED.',
  })
  @RequiresScope('SEQUENCES')
  sequenceUnenroll(
    @SequenceId() id: string,
    @EnrollmentId() enrollmentId: string,
    @Reason('Why it ends: exitReason of the enrollment.') reason: string | null | undefined,
    @Ctx() ctx: RequestContext,
  ) {
    return unenroll(ctx, id, enrollmentId, reason)
  }

  @Mutation(() => SequenceEnrollment, {
    description:
      'Executes the current step of an ACTIVE enrollment at once, before its time and outside of the send window. The daily limit of the sender holds.',
  })
  @RequiresScope('SEQUENCES')
  sequenceProcessStep(
    @SequenceId() id: string,
    @EnrollmentId() enrollmentId: string,
    @Arg('stepId', () => ID, {
      nullable: true,
      description:
        'Id of the step to execute, the current one; if the enrollment has executed it already, nothing happens. Null: the current step.',
    })
    stepId: string | null | undefined,
    @Ctx() ctx: RequestContext<'work' | 'keys'>,
  ) {
    return processStep(ctx, id, enrollmentId, stepId ?? null)
  }
}

export const enrollmentResource: Resource = {
  resolver: EnrollmentResolver,
  entities: { SequenceEnrollment: sequenceEnrollment },
  jobs: [sequenceRun, forgetSenderDays, forgetSequenceCalls],
  queues: [sequenceCallQueue],
  consumers: [sequenceStopConsumer],
  migrations: [sequenceStopBegins, sequenceCallTable, enrollmentFilterIndexes, enrollmentCustomFields],
  rest: restArea(sequenceEnrollment, {
    path: 'sequence-enrollments',
    filters: ['sequenceId', 'status', 'entityType', 'entityId', 'senderId', 'ownerId', updatedAfter],
    derivedFields: ['attempts'],
  }),
}
