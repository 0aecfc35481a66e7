import { organizationChart } from '../../identity/public.ts'
import type { Answering } from '../answer/answering.ts'
import type { ConversationContext } from '../conversation/conversation.types.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Column } from '../../kernel/record/column.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { findNames, mayReadType, type FoundName } from '../question/find-names.ts'
import { labelOf } from '../question/label.ts'
import { nounOf } from '../question/object-words.ts'
import { namesOf } from '../question/question.ts'
import { reader, type Read, type Row } from '../question/read-records.ts'
import { queryOf, shapeOf } from '../tool/records.ts'
import { ambiguous, Instead, unclear } from './said.ts'
import { namedReferences } from './writable-fields.ts'

/** More records with a name in them than this are not told apart. */
const searchedMax = 25
const lookupsMax = 6

export const shownName = ({ object, label }: FoundName): string => `${nounOf(object, 1)} ${label}`

/** Finds the records and users of a request by their names, as the caller. */
export class NamedRecords {
  readonly read: Read
  #lookups = 0

  constructor(
    private readonly ctx: Answering,
    private readonly context: ConversationContext | null,
  ) {
    this.read = reader(ctx, ctx.caller, ctx.requestId)
  }

  /** The visible records of these types with the name; if none has exactly this name, those whose names begin with it. */
  async find(name: string, objects: readonly string[]): Promise<readonly FoundName[]> {
    if (++this.#lookups > lookupsMax) return []
    return findNames(this.ctx, name, objects, searchedMax)
  }

  async one(name: string, object: string): Promise<FoundName> {
    const found = await this.find(name, [object])
    if (found.length > 1) throw new Instead(ambiguous(name, found.map(shownName)))
    return found[0] ?? this.fail(name)
  }

  /** Users with a name: the whole one, or the first one. "me" is the caller. */
  async users(name: string): Promise<readonly { readonly id: string; readonly name: string }[]> {
    const wanted = name.toLowerCase()
    const active = (await organizationChart(this.ctx)).filter(({ isActive }) => isActive)
    if (/^(?:me|myself)$/.test(wanted)) return active.filter(({ id }) => id === this.ctx.caller.userId)
    const exact = active.filter((user) => user.name.toLowerCase() === wanted)
    return exact.length > 0 ? exact : active.filter((user) => user.name.toLowerCase().startsWith(`${wanted} `))
  }

  async user(name: string): Promise<{ readonly id: string; readonly name: string }> {
    const found = await this.users(name)
    if (found.length > 1)
      throw new Instead(
        ambiguous(
          name,
          found.map((user) => `the user ${user.name}`),
        ),
      )
    return found[0] ?? this.fail(name)
  }

  /** The name of the user or of the visible record to which a column refers; null if there is none. */
  async nameOf({ user, name }: Column, id: unknown): Promise<string | null> {
    if (typeof id !== 'string') return null
    if (user) return (await organizationChart(this.ctx)).find((one) => one.id === id)?.name ?? null
    const object = namedReferences[name]
    if (object === undefined || !mayReadType(this.ctx.caller, object)) return null
    const shape = shapeOf(object)
    const names = namesOf[object]!.filter((one) => !isHidden(this.ctx.caller, shape, one))
    const document = `query ($id: ID!) { record: ${queryOf(shape)}(id: $id) { id ${names.join(' ')} } }`
    try {
      const { record } = await this.read<{ readonly record: Row }>({ document, variables: { id } })
      return labelOf(shape, record)
    } catch (error) {
      if (error instanceof Refusal && error.status < 500) return null
      throw error
    }
  }

  /** The record that the user looks at; null if there is none. */
  atPage(): FoundName | null {
    const { entityType, entityId, entityName } = this.context ?? {}
    return entityType && entityId
      ? { object: entityType.toLowerCase(), id: entityId, label: entityName ?? 'this record' }
      : null
  }

  private fail(name: string): never {
    throw new Instead(unclear(name))
  }
}
