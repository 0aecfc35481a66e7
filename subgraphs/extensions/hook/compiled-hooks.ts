import type { HookOperation, RecordHooks } from '../../kernel/extension/extension.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import type { Services } from '../../kernel/request.ts'
import { typeOfShape } from '../extended-type.ts'
import { decideChanges } from './decide-changes.ts'
import type { StoredHook } from './stored-hook.ts'

/** The active hooks of one record type. */
export class CompiledHooks implements RecordHooks {
  readonly #operations: ReadonlySet<HookOperation>

  constructor(
    private readonly shape: RecordShape,
    private readonly hooks: readonly StoredHook[],
  ) {
    this.#operations = new Set(hooks.flatMap(({ operations }) => operations))
  }

  concerns(operation: HookOperation): boolean {
    return this.#operations.has(operation)
  }

  decide(
    services: Parameters<RecordHooks['decide']>[0],
    changes: Parameters<RecordHooks['decide']>[1],
    { organizationId, depth, origin, msMax }: Parameters<RecordHooks['decide']>[2],
  ): ReturnType<RecordHooks['decide']> {
    const { shape, hooks } = this
    const objectType = typeOfShape(shape)
    const endsAt = performance.now() + msMax
    return decideChanges(
      { services: services as Services, organizationId, depth: depth + 1, origin, shape, objectType, endsAt },
      hooks,
      changes,
    )
  }
}
