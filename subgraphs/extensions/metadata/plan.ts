import type { ComponentPlan, ComponentStep, PreparedCall, StoredComponent } from '../../kernel/metadata/component.ts'
import { metadataComponent } from '../../kernel/metadata/component.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { droppedBy } from './dropped.ts'
import { inOrder } from './order.ts'
import {
  componentsIn,
  keyOf,
  type Deletion,
  type FileProblem,
  type Package,
  type PackagedComponent,
} from './package.ts'
import type { MetadataState } from './state.ts'

export type ComponentChange = 'CREATED' | 'UPDATED' | 'UNCHANGED' | 'DELETED'

/** What becomes of one component. */
export interface PlannedComponent {
  readonly type: string
  readonly name: string
  readonly file: string
  readonly change: ComponentChange
  readonly plan: ComponentPlan | null
  readonly packaged: PackagedComponent | null
}

/** A step with the component that it is a part of. */
export type PlannedStep = ComponentStep & { readonly of: PlannedComponent }

export interface DeploymentPlan {
  readonly components: readonly PlannedComponent[]
  /** In the order in which they are carried out. */
  readonly steps: readonly PlannedStep[]
  readonly calls: readonly PreparedCall[]
  readonly problems: readonly FileProblem[]
}

const problemOf = (file: string, path: string, code: string, message: string): FileProblem => ({
  file,
  path,
  code,
  message,
})

interface PlannedDeletion {
  readonly deletion: Deletion
  readonly stored: StoredComponent
  readonly step: ComponentStep
}

/** The components that are to be deleted. One that does not exist is refused, because its name may be misspelt. */
function deletionsOf(wanted: Package, { byType }: MetadataState, problems: FileProblem[]): PlannedDeletion[] {
  const { deletions, deletionFile: file } = wanted
  const kept = new Set(componentsIn(wanted).map(keyOf))
  const seen = new Set<string>()
  return deletions.flatMap((deletion): PlannedDeletion[] => {
    const { type, name, path } = deletion
    const key = keyOf(deletion)
    const component = metadataComponent(type)
    const stored = component ? byType.get(component)?.get(name) : undefined
    if (kept.has(key)) problems.push(problemOf(file, path, 'NOT_TOGETHER', `${path} is also in the source.`))
    else if (seen.has(key)) problems.push(problemOf(file, path, 'NOT_UNIQUE', `${path} is there twice.`))
    else if (!component || !stored)
      problems.push(
        problemOf(
          file,
          `${path}.name`,
          'UNKNOWN_REFERENCE',
          `${path}.name must be the name of a component of the type ${type}.`,
        ),
      )
    else {
      seen.add(key)
      return [{ deletion, stored, step: component.removal(stored, deletion.force) }]
    }
    return []
  })
}

/** The new components that are more than the organization may have. They are refused before their sources are compiled. */
function excessOf(planned: readonly PlannedComponent[], { byType }: MetadataState): FileProblem[] {
  const created = planned.filter(({ change }) => change === 'CREATED')
  return [...byType].flatMap(([{ type, noun, max }, stored]) => {
    if (max === undefined) return []
    const message = `An organization must have at most ${max} ${noun}s; delete one first.`
    const excess = created.filter((one) => one.type === type).slice(Math.max(0, max - stored.size))
    return excess.map(({ file }) => problemOf(file, '', 'TOO_MANY', message))
  })
}

/** The components of an app that the organization, or another app, has under the same name. */
function takenNames(app: string, wanted: Package, { byType }: MetadataState): FileProblem[] {
  return wanted.components.flatMap(({ component, name, file }) => {
    const stored = byType.get(component)?.get(name)
    if (!stored || stored.managedBy === app) return []
    const owner = stored.managedBy === null ? 'The organization' : `The app ${stored.managedBy}`
    return [problemOf(file, '', 'NOT_UNIQUE', `${owner} has the ${component.noun} ${name} already.`)]
  })
}

/** What has to be done so that the organization is what the package says; for an app, what it brought before and no longer has is removed. */
export function planOf(
  ctx: RequestContext,
  wanted: Package,
  state: MetadataState,
  app: string | null = null,
): DeploymentPlan {
  const problems: FileProblem[] = app === null ? [] : takenNames(app, wanted, state)
  const planned = wanted.components.map((packaged): PlannedComponent => {
    const { component, name, file } = packaged
    const plan = component.plan(ctx, packaged, state.byType.get(component)?.get(name) ?? null)
    return { type: component.type, name, file, change: plan.change, plan, packaged }
  })
  problems.push(...excessOf(planned, state))
  const steps = planned.flatMap((of) => (of.plan?.steps ?? []).map((step) => ({ ...step, of })))
  const removals = deletionsOf(wanted, state, problems).map(({ deletion: { type, name, path }, step }) => {
    const of = { type, name, file: wanted.deletionFile, change: 'DELETED' as const, plan: null, packaged: null }
    return { ...step, of, placeOf: () => ({ path }) }
  })
  const dropped = app === null ? [] : droppedBy(app, new Set(componentsIn(wanted).map(keyOf)), state)
  const removed: PlannedStep[] = [
    ...removals,
    ...dropped.map(({ type, name, file, step }) => ({
      ...step,
      of: { type, name, file, change: 'DELETED' as const, plan: null, packaged: null },
    })),
  ]
  return {
    components: [...planned, ...removed.map(({ of }) => of)],
    steps: [...inOrder(steps), ...inOrder(removed).toReversed()],
    calls: planned.flatMap(({ plan }) => plan?.calls ?? []),
    problems,
  }
}
