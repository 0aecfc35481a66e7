/** The attributes of RFC 7643 that we do not keep, in lower case. Directories send them by default, so they are ignored. */
const unkept = {
  User: new Set([
    'schemas',
    'id',
    'meta',
    'name',
    'nickname',
    'profileurl',
    'title',
    'usertype',
    'preferredlanguage',
    'locale',
    'timezone',
    'password',
    'emails',
    'phonenumbers',
    'ims',
    'photos',
    'addresses',
    'groups',
    'entitlements',
    'x509certificates',
  ]),
  // RFC 7643 has no description of a group, but directories send it.
  Group: new Set(['schemas', 'id', 'meta', 'description']),
} as const

/** `title`, `name.middleName`, `phoneNumbers[type eq "work"].value`: the attribute, a filter of its values, a sub-attribute. */
const attributePath = /^([a-z]\w*)(?:\[(?:[^"[\]]|"(?:[^"\\]|\\.)*")+\])?(?:\.[a-z$][\w-]*)?$/i

/** Whether the path of a PATCH names an attribute that is known but not kept. */
export const isUnkept = (resource: keyof typeof unkept, path: string): boolean => {
  const [, attribute] = attributePath.exec(path) ?? []
  return attribute !== undefined && unkept[resource].has(attribute.toLowerCase())
}
