import type { RequestContext } from '../../kernel/request.ts'
import { installedTable } from './finish-app-change.ts'
import type { Slot } from './manifest.ts'

/** A place of a layout or page as it is shown. */
export interface FilledSlot {
  readonly slot: string
  readonly label: string
  readonly url: string
  readonly height: number
}

export interface FilledSlots {
  /** Those that installed apps fill, by how layouts and pages name them. */
  readonly shown: ReadonlyMap<string, FilledSlot>
  /** Why the others are left out. */
  readonly warnings: readonly { readonly code: string; readonly slot: string }[]
}

const slugOf = (slot: string): string => slot.slice('app/'.length, slot.indexOf(':'))

/** What installed apps show at the places of a layout or page of a record type. */
export async function filledSlots(
  { db, caller }: RequestContext,
  objectType: string,
  wanted: readonly string[],
): Promise<FilledSlots> {
  if (wanted.length === 0) return { shown: new Map(), warnings: [] }
  const apps = await db.query<{ slug: string; slots: readonly Slot[] }>(
    `select slug, slots from ${installedTable}
     where organization_id = $1 and slug = any($2::text[]) and app_version is not null`,
    [caller.organizationId, [...new Set(wanted.map(slugOf))]],
  )
  const installed = new Set(apps.map(({ slug }) => slug))
  const shown = new Map(
    apps.flatMap(({ slug, slots }) =>
      slots
        .filter(({ objectTypes }) => objectTypes.includes(objectType))
        .map(({ key, label, url, height }) => {
          const slot = `app/${slug}:${key}`
          return [slot, { slot, label, url, height }] as const
        }),
    ),
  )
  const codeOf = (slot: string) => (installed.has(slugOf(slot)) ? 'SLOT_NOT_AVAILABLE' : 'APP_NOT_INSTALLED')
  const missing = [...new Set(wanted)].filter((slot) => !shown.has(slot))
  return { shown, warnings: missing.map((slot) => ({ code: codeOf(slot), slot })) }
}
