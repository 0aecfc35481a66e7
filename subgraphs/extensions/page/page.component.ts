import { phases } from '../../kernel/metadata/component.ts'
import { recordComponent } from '../../kernel/metadata/record-component.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { layoutTypePattern } from '../layout/layout-types.ts'
import { apiNamePattern } from './bounds.ts'
import { page } from './page.record.ts'
import { definitionInOrder, type PageDefinition } from './page-definition.ts'
import type { PageAssignment } from './page.ts'

const pages = recordsOf(page)

/** Null says that an assignment is for everyone else, so it stays in the file. */
const assignmentsInFile = (assignments: unknown): unknown =>
  (assignments as readonly Partial<PageAssignment>[]).map(({ profile = null, recordType = null, position = 0 }) => ({
    profile,
    recordType,
    position,
  }))

export const pageComponent = recordComponent({
  type: 'PAGE',
  noun: 'page',
  description: 'A page: pages/<apiName>.page.json. Places of apps are written app/<appSlug>:<key>.',
  folder: 'pages',
  suffix: '.page.json',
  phase: phases.layouts,
  definition: page,
  properties: {
    apiName: { rules: { pattern: apiNamePattern.source } },
    label: {},
    description: {},
    objectType: { rules: { pattern: layoutTypePattern } },
    recordTypeField: {},
    assignments: { toFile: assignmentsInFile },
    definition: {
      isOpen: true,
      rules: { type: 'object' },
      toFile: (definition) => definition && definitionInOrder(definition as PageDefinition),
    },
  },
  required: ['apiName', 'label', 'objectType', 'definition'],
  nameOf: ({ apiName }) => String(apiName),
  create: (ctx, values) => {
    requireAdministrator(ctx)
    return pages.create(ctx, values)
  },
  update: (ctx, id, values, version) => {
    requireAdministrator(ctx)
    return pages.update(ctx, id, values, version)
  },
  remove: (ctx, id, version) => {
    requireAdministrator(ctx)
    return pages.remove(ctx, id, version)
  },
})
