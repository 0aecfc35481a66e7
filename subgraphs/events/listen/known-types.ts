import { builtInSamples, type SampleEvent } from './built-in-types.ts'
import type { KnownTypes } from './listen-selection.ts'

/** The custom event types of organizations, by type. */
export interface CustomSamples {
  sampleOf(organizationId: string, type: string): Promise<SampleEvent | null>
  typesOf(organizationId: string): Promise<ReadonlySet<string>>
}

export const noCustomTypes: CustomSamples = {
  sampleOf: () => Promise.resolve(null),
  typesOf: () => Promise.resolve(new Set()),
}

let objects: ReadonlySet<string> | null = null

const builtInObjects = (): ReadonlySet<string> =>
  (objects ??= new Set([...builtInSamples().keys()].map((type) => type.slice(0, type.lastIndexOf('.')))))

/** The event types that an organization can receive. */
export async function knownTypesOf(
  custom: CustomSamples,
  organizationId: string,
  requested: readonly string[] | null,
): Promise<KnownTypes> {
  const needsCustom = requested?.some((type) => type.startsWith('custom.') && type !== 'custom.*') ?? false
  const customTypes = needsCustom ? await custom.typesOf(organizationId) : new Set<string>()
  return {
    has: (type) => builtInSamples().has(type) || customTypes.has(type),
    hasObject: (object) => builtInObjects().has(object),
  }
}

export const sampleOf = async (
  custom: CustomSamples,
  organizationId: string,
  type: string,
): Promise<SampleEvent | null> => builtInSamples().get(type) ?? custom.sampleOf(organizationId, type)
