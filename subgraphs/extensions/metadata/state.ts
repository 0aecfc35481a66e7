import { createHash } from 'node:crypto'
import { metadataComponents, type MetadataComponent, type StoredComponent } from '../../kernel/metadata/component.ts'
import { digestOf } from '../../kernel/metadata/file-digest.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { isTurnOver, nextTurn } from '../../kernel/work/turn.ts'
import { fileText } from './file-text.ts'
import { keyOf } from './package.ts'

/** The components of an organization, of some types or of all. */
export interface MetadataState {
  readonly byType: ReadonlyMap<MetadataComponent, ReadonlyMap<string, StoredComponent>>
}

export interface ReadOptions {
  readonly hasTexts: boolean
  /** A context for each type, so that what each reads is limited by itself. */
  readonly contextFor?: () => RequestContext
}

export async function readState(
  ctx: RequestContext,
  { hasTexts, contextFor = () => ctx }: ReadOptions,
): Promise<MetadataState> {
  const byType = new Map<MetadataComponent, ReadonlyMap<string, StoredComponent>>()
  for (const component of metadataComponents()) byType.set(component, await component.list(contextFor(), { hasTexts }))
  return { byType }
}

export interface ComponentFiles {
  readonly component: MetadataComponent
  readonly stored: StoredComponent
}

/** The components that the organization made, with files of their own, in the order of their paths. What apps brought is in their packages. */
export function componentsWithFiles({ byType }: MetadataState): ComponentFiles[] {
  const all = [...byType].flatMap(([component, stored]) =>
    [...stored.values()]
      .filter(({ partOf, managedBy }) => !partOf && managedBy === null)
      .map((one) => ({ component, stored: one })),
  )
  const path = ({ component, stored }: ComponentFiles): string => component.pathOf(stored.name)
  return all.toSorted((one, other) => (path(one) < path(other) ? -1 : 1))
}

/** What the organization added to components of apps: fields of their objects. They are in no file, neither of the organization nor of the app. */
export function additionsToApps({ byType }: MetadataState): ComponentFiles[] {
  const managers = new Map(
    [...byType].flatMap(([{ type }, stored]) =>
      [...stored.values()].map(({ name, managedBy }) => [keyOf({ type, name }), managedBy] as const),
    ),
  )
  return [...byType].flatMap(([component, stored]) =>
    [...stored.values()]
      .filter(({ partOf, managedBy }) => partOf && managedBy === null && managers.get(keyOf(partOf)) !== null)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map((one) => ({ component, stored: one })),
  )
}

/**
 * The version of what an organization has defined: a digest of all files, and of what it added to components of apps. Equal files have the same version,
 * also in different organizations. Settings that the format has no property for are not in it.
 */
export async function versionOf(state: MetadataState, organizationId: string): Promise<string> {
  const digest = createHash('sha256')
  for (const { component, stored } of componentsWithFiles(state)) {
    digest.update(`${component.pathOf(stored.name)} ${digestOf(fileText(stored.content))}\n`)
    for (const [source, { sha256 }] of Object.entries(stored.sources ?? {}))
      digest.update(`${component.sourcePathOf!(stored.name, source)} ${sha256}\n`)
    if (isTurnOver()) await nextTurn(organizationId)
  }
  for (const { component, stored } of additionsToApps(state))
    digest.update(`${keyOf({ type: component.type, name: stored.name })} ${digestOf(fileText(stored.content))}\n`)
  return digest.digest('base64url')
}

/** What is told whoever expects another version than the organization has. */
export const versionConflictText = (version: string): string =>
  `The organization has the version ${version}; retrieve it again and repeat your changes.`
