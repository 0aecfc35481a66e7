import { Entity } from '@mikro-orm/decorators/legacy'
import { ID, ObjectType } from 'type-graphql'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { connectionOf, createInputOf, filterOf, orderOf, pageOf } from '../../kernel/record/inputs.ts'
import { connectionArgs } from '../../kernel/record/list-args.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'

export const CommentAuthorType = enumeration('CommentAuthorType', ['USER', 'CONTACT', 'SYSTEM'])
export type CommentAuthorType = keyof typeof CommentAuthorType

@ObjectType({ description: 'A comment on a case. An internal comment is not meant for the customer.' })
@RequiresScope('CASES')
@Entity({ schema: 'support', tableName: 'case_comment' })
export class CaseComment {
  @Column(() => ID, { writable: 'NEVER' })
  id!: string

  @Column(() => ID, { writable: 'NEVER' })
  organizationId!: string

  @Column(() => ID, { writable: 'NEVER' })
  caseId!: string

  @Column(() => String, { max: 20_000, filled: true })
  body!: string

  @Column(() => Boolean)
  isInternal!: boolean

  @Column(() => ID, {
    nullable: true,
    writable: 'NEVER',
    description: 'Id of the user who wrote the comment; null if its author is not a user.',
    user: { field: 'author', description: 'The user who wrote the comment; null if `authorId` is null.' },
  })
  authorId!: string | null

  @Column(() => CommentAuthorType, { writable: 'NEVER' })
  authorType!: CommentAuthorType

  @Column(() => DateTime, { writable: 'NEVER' })
  createdAt!: string
}

export const CaseCommentCreateInput = createInputOf('CaseCommentCreateInput', CaseComment)
export const CaseCommentFilter = filterOf('CaseCommentFilter', CaseComment)
export const CaseCommentOrder = orderOf('CaseCommentOrder', CaseComment)
export const CaseCommentPage = pageOf('CaseCommentPage', CaseComment, 'CASES')
export const CaseCommentConnection = connectionOf('CaseComment', CaseComment, 'CASES')
export const CaseCommentConnectionArgs = connectionArgs(CaseCommentFilter, CaseCommentOrder)
