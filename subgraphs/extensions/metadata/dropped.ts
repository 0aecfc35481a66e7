import { customObject } from '../../kernel/record/custom-object.ts'
import type { ComponentStep } from '../../kernel/metadata/component.ts'
import { keyOf } from './package.ts'
import type { MetadataState } from './state.ts'

interface Removal {
  readonly type: string
  readonly name: string
  readonly file: string
  readonly step: ComponentStep
}

/**
 * What an app brought and its package, with the components `kept`, no longer has. The fields of an object go with it, and are restored with it; what the
 * fields of such objects name of one another does not keep these.
 */
export function droppedBy(app: string, kept: ReadonlySet<string>, { byType }: MetadataState): Removal[] {
  const all = [...byType].flatMap(([component, components]) =>
    [...components.values()]
      .filter(({ name, managedBy }) => managedBy === app && !kept.has(keyOf({ type: component.type, name })))
      .map((stored) => ({ component, stored, key: keyOf({ type: component.type, name: stored.name }) })),
  )
  const going = new Set(all.map(({ key }) => key))
  const objects = all.flatMap(({ component: { type }, stored: { name } }) =>
    type === 'CUSTOM_OBJECT' ? [customObject(name)] : [],
  )
  const deletedObjects = new Set(objects)
  return all
    .filter(({ stored: { partOf } }) => !partOf || !going.has(keyOf(partOf)))
    .map(({ component, stored }) => {
      const { type } = component
      const step = component.removal(stored, true)
      const file = component.pathOf(stored.name)
      const { name } = stored
      return { type, name, file, step: { ...step, run: (ctx) => step.run({ ...ctx, deletedObjects }) } }
    })
}
