import { ID, Int } from 'type-graphql'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { Part, Structure } from '../../kernel/record/structure.ts'
import { BuyingRole } from '../contact/contact.enumerations.ts'

@Structure('OpportunityContactRole', 'The part that a contact plays in a deal.')
export class OpportunityContactRole {
  @NamesRecord('contact')
  @Part(() => ID, {
    description: 'Id of the contact, a live contact that the caller sees; each contact has at most one role in a deal.',
    example: '019a0c5e-7f00-7d18-b3f4-6c2e9a7d1b50',
  })
  contactId!: string

  @Part(() => BuyingRole, {
    nullable: true,
    description: 'Part that the contact plays in the decision; null if unknown.',
    example: 'DECISION_MAKER',
  })
  role!: BuyingRole | null

  @Part(() => Boolean, {
    default: false,
    description: 'True for the primary contact of the deal, at most one. It is always the same as `primaryContactId`.',
    example: true,
  })
  isPrimary!: boolean
}

@Structure('StageHistoryEntry', 'A period that an opportunity spent in one stage.')
export class StageHistoryEntry {
  @Part(() => String, { writable: 'NEVER', description: 'API name of the stage.', example: 'QUALIFICATION' })
  stage!: string

  @Part(() => DateTime, {
    writable: 'NEVER',
    description: 'When the opportunity entered the stage.',
    example: '2026-10-19T09:00:00.000Z',
  })
  enteredAt!: string

  @Part(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    description: 'When the opportunity left the stage; null while it is in it.',
    example: '2026-11-02T08:15:00.000Z',
  })
  leftAt!: string | null

  @Part(() => Int, {
    nullable: true,
    writable: 'NEVER',
    description: 'Seconds from `enteredAt` to `leftAt`, without fractions; null while the opportunity is in the stage.',
    example: 1206900,
  })
  durationSeconds!: number | null

  @Part(() => ID, {
    nullable: true,
    writable: 'NEVER',
    description: 'Id of the user who moved the opportunity to the stage; null if the platform did.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    user: { field: 'changedBy', description: 'The user who moved the opportunity; null if `changedById` is null.' },
  })
  changedById!: string | null
}
