import type { GroupInput } from './patch.ts'
import { attributeOf, memberIds, text, type Attributes } from './values.ts'

export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'

export interface GraphGroup {
  readonly id: string
  readonly externalId: string | null
  readonly displayName: string
  readonly members: readonly { readonly id: string; readonly name: string }[]
  readonly createdAt: string
  readonly updatedAt: string
}

export const groupFields = 'id externalId displayName members { id name } createdAt updatedAt'

export function groupResource(group: GraphGroup, base: string): object {
  const { id, externalId, displayName, members } = group
  return {
    schemas: [groupSchema],
    id,
    ...(externalId !== null && { externalId }),
    displayName,
    members: members.map((member) => ({ value: member.id, display: member.name, $ref: `${base}/Users/${member.id}` })),
    meta: {
      resourceType: 'Group',
      created: group.createdAt,
      lastModified: group.updatedAt,
      location: `${base}/Groups/${id}`,
    },
  }
}

/** Reads a complete group: attributes that are not given become null, and members become empty. */
export function groupInput(attributes: Attributes): GroupInput {
  const members = attributeOf(attributes, 'members')
  return {
    displayName: text(attributeOf(attributes, 'displayName'), 'displayName') ?? null,
    externalId: text(attributeOf(attributes, 'externalId'), 'externalId') ?? null,
    members: members == null ? [] : memberIds(members),
  }
}
