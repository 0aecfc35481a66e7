import { Entity } from '@mikro-orm/decorators/legacy'
import { Field, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { ManagedBy } from '../../kernel/record/managed-by.ts'
import { extendedTypeMax, extendedTypeNames } from '../extended-type.ts'
import { SaveOperation } from '../save-operation.ts'
import { failuresMax, pauseMs, positionMax, recordsMax, timeoutBounds, timeoutDefault, urlMax } from './bounds.ts'
import { HookFailureMode } from './hook.enumerations.ts'

@ObjectType({
  description:
    'A hook that decides on changes before they are saved: an address or a serverless function that allows, changes or refuses them. For owners and admins.',
})
@RequiresScope('HOOKS')
@Entity({ schema: 'extensions', tableName: 'before_save_hook_with_state' })
export class BeforeSaveHook extends OrgRecord {
  @Column(() => String, {
    writable: 'ON_CREATE',
    indexed: true,
    max: extendedTypeMax,
    filled: true,
    description: `The record type whose changes the hook decides on: ${extendedTypeNames}. It never changes.`,
    example: 'OPPORTUNITY',
  })
  objectType!: string

  @Column(() => String, {
    indexed: true,
    max: 100,
    filled: true,
    description: 'Name of the hook, unique among the hooks of its record type. Refusals contain it.',
    example: 'Credit check',
  })
  name!: string

  @Column(() => String, {
    nullable: true,
    max: 1000,
    description: 'Why the hook exists, for administrators; null if not set.',
    example: 'Asks the ERP for the credit limit.',
  })
  description!: string | null

  @Column(() => Boolean, {
    default: true,
    description: 'Whether the hook is called. A change of it applies to every write that commits afterwards.',
    example: false,
  })
  isActive!: boolean

  @Column(() => [SaveOperation], {
    default: ['CREATE', 'UPDATE'],
    maxItems: 3,
    description: 'The changes that the hook decides on, at least one. Restoring a record is an UPDATE.',
    example: ['CREATE', 'UPDATE'],
  })
  operations!: SaveOperation[]

  @Column(() => String, {
    nullable: true,
    max: urlMax,
    filled: true,
    description: `Address that decides, called with a signed POST for at most ${recordsMax.url} records; null if a function decides. It must start with https:// (http:// only for addresses that OUTBOUND_ALLOW of the deployment names), and name no user, password or fragment. Redirects are not followed.`,
    example: 'https://erp.example.com/credit-check',
  })
  url!: string | null

  @Column(() => String, {
    nullable: true,
    max: 48,
    description: `The apiName of the serverless function that decides, called for at most ${recordsMax.function} records; null if an address decides.`,
    example: null,
  })
  function!: string | null

  @Column(() => Int, {
    default: timeoutDefault,
    ...timeoutBounds,
    description:
      'Milliseconds after which a call has failed. The timeout of the function applies too if it is smaller.',
    example: timeoutDefault,
  })
  timeoutMs!: number

  @Column(() => HookFailureMode, {
    default: 'FAIL_OPEN',
    description: 'What becomes of a change when the hook cannot decide.',
    example: 'FAIL_OPEN',
  })
  failureMode!: HookFailureMode

  @Column(() => Int, {
    default: 0,
    minimum: 0,
    maximum: positionMax,
    description:
      'Hooks of a record type are called by their position, those with the same position by their creation. Each sees the changes of the one before.',
    example: 10,
  })
  position!: number

  /** Null after the hook was deleted. */
  @Column(() => String, { nullable: true, internal: true })
  sealedSecret!: string | null

  @Column(() => String, { nullable: true, internal: true })
  sealedPreviousSecret!: string | null

  @Column(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    description:
      'When the secret before the last regeneration stops or stopped to sign requests as well; null if there was none.',
    example: null,
  })
  previousSecretExpiresAt!: string | null

  @Column(() => Int, {
    computed: true,
    isUnversioned: true,
    writable: 'NEVER',
    default: 0,
    description: `Number of calls in a row that failed. At ${failuresMax} the hook is not called for ${pauseMs / 1000} s, and counts as failed. A call that succeeds sets it to 0.`,
    example: 0,
  })
  consecutiveFailures!: number

  @Column(() => DateTime, {
    computed: true,
    isUnversioned: true,
    nullable: true,
    writable: 'NEVER',
    description: 'When a call failed last; null while `consecutiveFailures` is 0.',
    example: null,
  })
  lastFailedAt!: string | null

  @Column(() => String, {
    computed: true,
    isUnversioned: true,
    nullable: true,
    writable: 'NEVER',
    description: 'Why a call failed last; null while `consecutiveFailures` is 0.',
    example: null,
  })
  lastError!: string | null

  @Field(() => String, {
    nullable: true,
    simple: true,
    description:
      'The secret that signs the calls, `whsec_` and base64; only in the answer that creates the hook or regenerates its secret, otherwise null.',
  })
  secret?: string | null

  @ManagedBy()
  managedBy!: string | null
}
