import { phases } from '../../kernel/metadata/component.ts'
import { recordComponent } from '../../kernel/metadata/record-component.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { layout } from './layout.record.ts'
import { layoutTypePattern } from './layout-types.ts'

const layouts = recordsOf(layout)

/** How a name says that a layout is for everyone else. */
const forEveryone = 'default'

/** The profile in the name of a layout. One that is called as the default is written otherwise, so that both have files. */
const profileIn = (profile: unknown): string => {
  if (typeof profile !== 'string') return forEveryone
  return profile === forEveryone ? `profile:${forEveryone}` : profile
}

export const layoutComponent = recordComponent({
  type: 'PAGE_LAYOUT',
  noun: 'page layout',
  description:
    'A page layout: layouts/<OBJECT>.<profile|default>.layout.json. Slots of apps are written app/<appSlug>:<key>.',
  folder: 'layouts',
  suffix: '.layout.json',
  phase: phases.layouts,
  definition: layout,
  properties: {
    objectType: { rules: { pattern: layoutTypePattern } },
    profile: { description: 'Name of the profile; null or omitted: the default of the organization.' },
    name: {},
    config: { isOpen: true, rules: { type: 'object' } },
  },
  required: ['objectType', 'name', 'config'],
  nameOf: ({ objectType, profile }) => `${String(objectType)}.${profileIn(profile)}`,
  create: (ctx, values) => {
    requireAdministrator(ctx)
    return layouts.create(ctx, values)
  },
  update: (ctx, id, values, version) => {
    requireAdministrator(ctx)
    return layouts.update(ctx, id, values, version)
  },
  remove: (ctx, id, version) => {
    requireAdministrator(ctx)
    return layouts.remove(ctx, id, version)
  },
})
