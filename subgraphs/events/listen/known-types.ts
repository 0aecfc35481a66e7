import { builtInSamples, type SampleEvent } from './built-in-types.ts'

const objectOf = (type: string): string => type.slice(0, type.lastIndexOf('.'))

let objects: ReadonlySet<string> | null = null

const builtInObjects = (): ReadonlySet<string> =>
  (objects ??= new Set([...builtInSamples().keys()].map((type) => objectOf(type))))

/** A type of custom events, which may be defined later, or all of them. */
const custom = /^custom\.(?:\*|[A-Za-z][A-Za-z0-9_]{0,79})$/

/** Whether events of this type, or of this object (`lead.*`), can occur. */
export function isKnownType(name: string): boolean {
  if (name.startsWith('custom.')) return custom.test(name)
  return name.endsWith('.*') ? builtInObjects().has(objectOf(name)) : builtInSamples().has(name)
}

/** The samples of the custom event types of organizations. */
export interface CustomSamples {
  sampleOf(organizationId: string, type: string): Promise<SampleEvent | null>
}

export const noCustomTypes: CustomSamples = { sampleOf: () => Promise.resolve(null) }

export const sampleOf = async (
  customSamples: CustomSamples,
  organizationId: string,
  type: string,
): Promise<SampleEvent | null> => builtInSamples().get(type) ?? customSamples.sampleOf(organizationId, type)
