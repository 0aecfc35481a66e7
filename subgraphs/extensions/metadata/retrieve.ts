import { withoutRowLimit } from '../../kernel/database/row-bytes.ts'
import { invalid } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { isTurnOver, nextTurn } from '../../kernel/work/turn.ts'
import type { MetadataRetrieval, MetadataRetrieveArgs, MetadataWarning } from './retrieval.types.ts'
import { fileText } from './file-text.ts'
import type { MetadataType } from './metadata-type.ts'
import { projectFile, retrievedProject } from './project-file.ts'
import { packedFiles } from './source-files.ts'
import {
  additionsToApps,
  componentsWithFiles,
  readState,
  versionOf,
  type ComponentFiles,
  type MetadataState,
} from './state.ts'

const keyOf = (type: string, name: string): string => `${type} ${name}`

/** The components that are asked for. Each that is named must exist. */
function chosen(all: readonly ComponentFiles[], { types, components }: MetadataRetrieveArgs): ComponentFiles[] {
  if (!types && !components) return [...all]
  const known = new Set(all.map(({ component, stored }) => keyOf(component.type, stored.name)))
  const problems = (components ?? []).flatMap(({ type, name }, index) => {
    const path = `components.${index}.name`
    const message = `${path} must be the name of a component of the type ${type}.`
    return known.has(keyOf(type, name)) ? [] : [{ path, code: 'UNKNOWN_REFERENCE', message }]
  })
  if (problems.length > 0) throw invalid(...problems)
  const ofTypes = new Set<string>(types ?? [])
  const named = new Set((components ?? []).map(({ type, name }) => keyOf(type, name)))
  return all.filter(({ component: { type }, stored: { name } }) => ofTypes.has(type) || named.has(keyOf(type, name)))
}

const warningsOf = ({ component, stored: { name, omitted = [] } }: ComponentFiles): MetadataWarning[] =>
  omitted.map((setting) => ({
    type: component.type as MetadataType,
    name,
    message: `The format has no property for ${setting}; it is not in the file.`,
  }))

/** Of all types, or of one of those whose components are concerned. */
function warningsOfAdditions(state: MetadataState, { types, components }: MetadataRetrieveArgs): MetadataWarning[] {
  const isWanted = ({ component, stored }: ComponentFiles): boolean =>
    types ? [component.type, stored.partOf!.type].some((type) => types.includes(type as MetadataType)) : !components
  return additionsToApps(state)
    .filter(isWanted)
    .map(({ component: { type }, stored: { name } }) => ({
      type: type as MetadataType,
      name,
      message: 'It was added to a component of an app, so it is in no file.',
    }))
}

/** What the organization has defined, as files: the same definitions give the same bytes. */
export async function retrieve(ctx: RequestContext<'work'>, args: MetadataRetrieveArgs): Promise<MetadataRetrieval> {
  requireAdministrator(ctx)
  const { organizationId } = ctx.caller
  // What an organization may define has bounds of its own, and the answer has one.
  const state = await readState({ ...ctx, db: withoutRowLimit(ctx.db) }, { hasTexts: true })
  const version = await versionOf(state, organizationId)
  const found = chosen(componentsWithFiles(state), args)
  const root = `${retrievedProject.sourceDir}/`
  const files: Record<string, string> = { [projectFile]: fileText(retrievedProject) }
  for (const { component, stored } of found) {
    files[root + component.pathOf(stored.name)] = fileText(stored.content)
    for (const [source, { text }] of Object.entries(stored.sources ?? {}))
      files[root + component.sourcePathOf!(stored.name, source)] = text!
    if (isTurnOver()) await nextTurn(organizationId)
  }
  const isArchive = args.format === 'ZIP'
  return {
    version,
    files: isArchive ? null : files,
    zip: isArchive ? await packedFiles(ctx, files) : null,
    warnings: [...found.flatMap(warningsOf), ...warningsOfAdditions(state, args)],
  }
}
