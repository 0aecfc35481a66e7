import { Entity } from '@mikro-orm/decorators/legacy'
import { ID, ObjectType } from 'type-graphql'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { connectionOf, createInputOf, filterOf, pageOf } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { connectionArgs } from '../../kernel/record/list-args.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'

export const CommentAuthorType = enumeration('CommentAuthorType', 'Kind of author of a comment.', {
  USER: 'A user of the organization.',
  CONTACT: 'A contact of the customer.',
  SYSTEM: 'The platform.',
})
export type CommentAuthorType = keyof typeof CommentAuthorType

@ObjectType({ description: 'A comment on a case. An internal comment is not meant for the customer.' })
@RequiresScope('CASES')
@Entity({ schema: 'support', tableName: 'case_comment' })
export class CaseComment {
  @Column(() => ID, {
    writable: 'NEVER',
    description: 'Id of the comment.',
    example: '019a0c5e-7f00-7d64-8c1b-7b2e9f0a4d55',
  })
  id!: string

  @Column(() => ID, {
    writable: 'NEVER',
    description: 'Id of the organization.',
    example: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  })
  organizationId!: string

  @NamesRecord('case')
  @Column(() => ID, {
    writable: 'NEVER',
    description: 'Id of the case.',
    example: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
  })
  caseId!: string

  @Column(() => String, {
    max: 20_000,
    filled: true,
    description:
      'Text of the comment. `@[name](id)` with the id of a user mentions the user, who is notified if the user may see the case; at most 20 users for each comment.',
    example: 'The label template of dock 3 was replaced; please print one more label.',
  })
  body!: string

  @Column(() => Boolean, { description: 'True if the comment is not meant for the customer.', example: false })
  isInternal!: boolean

  @Column(() => ID, {
    nullable: true,
    writable: 'NEVER',
    description: 'Id of the author; null for SYSTEM.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    user: { field: 'author', description: 'The user who wrote the comment; null if `authorId` is null.' },
  })
  authorId!: string | null

  @Column(() => CommentAuthorType, { writable: 'NEVER', description: 'Kind of author.', example: 'USER' })
  authorType!: CommentAuthorType

  @Column(() => DateTime, {
    writable: 'NEVER',
    description: 'When the comment was added.',
    example: '2026-11-02T09:02:00.000Z',
  })
  createdAt!: string
}

export const CaseCommentCreateInput = createInputOf('CaseCommentCreateInput', CaseComment)
export const CaseCommentFilter = filterOf('CaseCommentFilter', CaseComment)
export const CaseCommentOrder = orderOf('CaseCommentOrder', CaseComment)
export const CaseCommentPage = pageOf('CaseCommentPage', CaseComment, 'CASES')
export const CaseCommentConnection = connectionOf('CaseComment', CaseComment, 'CASES')
export const CaseCommentConnectionArgs = connectionArgs(CaseCommentFilter, CaseCommentOrder)
