import { ID, Int, ObjectType } from 'type-graphql'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { memberScope } from '../../kernel/scopes.ts'

@ObjectType({
  description: 'An event as a webhook of the caller would receive it, in payload version 2, with its operation.',
})
@RequiresScopes(memberScope)
export class EventEnvelope {
  @OutputField(() => String, {
    description: 'Id of the event, `evt_...`, the same in every delivery of it.',
    example: 'evt_019a0c5e-7f00-7e11-9d10-5a4e3c2b1f00',
  })
  id!: string

  @OutputField(() => String, { description: 'Type of the event.', example: 'account.created' })
  type!: string

  @OutputField(() => Int, { description: 'Version of the schema of `data`.', example: 1 })
  version!: number

  @OutputField(() => DateTime, { description: 'When it occurred.', example: '2026-11-02T10:40:00.000Z' })
  occurredAt!: string

  @OutputField(() => ID, {
    description: 'Id of the organization.',
    example: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  })
  organizationId!: string

  @OutputField(() => String, {
    nullable: true,
    description:
      'The operation that made the change: `X-Request-Id` of its response, or the run of a job; null if that is not known. Events of one operation have the same one, and `undo` takes it.',
    example: 'req_3f0c1c9a-52f7-4a77-8d0e-0c6b9a54e1d2',
  })
  operationId!: string | null

  @OutputField(() => Json, {
    description:
      'The data of the event, as the catalog describes them, without what the caller may not see: `redactedFields` names hidden fields. For a custom event its payload.',
    example: {
      object: 'account',
      id: '0190b1a2-0000-7000-8000-000000000001',
      record: { id: '0190b1a2-0000-7000-8000-000000000001', name: 'Halvorsen Marine', version: 1 },
      previous: null,
      changedFields: null,
      actorId: null,
    },
  })
  data!: object
}

@ObjectType({ description: 'A page of the event log.' })
@RequiresScopes(memberScope)
export class EventPage {
  @OutputField(() => EventEnvelope, {
    list: true,
    maxItems: 500,
    description:
      'The events, in the order of the log. Can be empty although there are more, where the events of others were passed over.',
  })
  data!: EventEnvelope[]

  @OutputField(() => String, { description: 'What to send as `after` next.', example: '1204' })
  nextCursor!: string

  @OutputField(() => Boolean, { description: 'Whether the log has further events now.', example: false })
  hasMore!: boolean
}
