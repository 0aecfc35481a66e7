import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, ObjectType } from 'type-graphql'
import { Column } from '../../../subgraphs/kernel/record/column.ts'
import { NamesRecord } from '../../../subgraphs/kernel/record/named-records.ts'
import { OrgRecord } from '../../../subgraphs/kernel/record/org-record.ts'
import { RequiresScope } from '../../../subgraphs/kernel/record/requires-scope.ts'
import { DateTime } from '../../../subgraphs/kernel/record/scalars.ts'
import { TaskStatus } from './task.enumerations.ts'

@ObjectType({ description: 'Work that a user must complete by a date.' })
@Directive('@key(fields: "id")')
@RequiresScope('TASKS')
@Entity({ schema: 'crm', tableName: 'task' })
export class Task extends OrgRecord {
  @Column(() => String, { max: 255, filled: true, description: 'What to do, in one line.', example: 'Call the yard' })
  title!: string

  @Column(() => TaskStatus, { default: 'OPEN', description: 'Whether the task is done.', example: 'DONE' })
  status!: TaskStatus

  @Column(() => DateTime, { nullable: true, description: 'When it must be done; null if at any time.', example: null })
  dueAt!: string | null

  @NamesRecord('account')
  @Column(() => ID, { indexed: true, nullable: true, description: 'Id of the account it is about; null if none.' })
  accountId!: string | null
}
