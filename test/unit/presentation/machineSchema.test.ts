import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { remoteKinds } from '../../../src/machines/machineEntry.ts';
import { machinesJsonSchema } from '../../../src/presentation/machines/machineSchema.ts';

interface Branch {
  readonly if: { readonly properties: { readonly kind: { readonly const: string } } };
  readonly then: {
    readonly properties: Readonly<Record<string, { readonly description: string }>>;
  };
}

describe('the schema of machines.json', () => {
  const { properties } = machinesJsonSchema() as {
    properties: {
      machines: { items: { allOf: Branch[]; defaultSnippets: { body: { kind: string } }[] } };
    };
  };
  const { allOf, defaultSnippets } = properties.machines.items;

  it('says of every kind and field what it means', () => {
    assert.deepEqual(
      allOf.map((branch) => branch.if.properties.kind.const),
      [...remoteKinds, 'local'],
    );
    for (const { then } of allOf)
      for (const [field, { description }] of Object.entries(then.properties))
        assert.match(description, /^[A-Z\p{L}].+\.$/u, field);
    assert.deepEqual(Object.keys(allOf[0]?.then.properties ?? {}).includes('gpuIds'), true);
    assert.equal('image' in (allOf[0]?.then.properties ?? {}), false);
    for (const { then } of allOf)
      assert.ok('env' in then.properties && 'prologue' in then.properties);
  });

  it('offers a beginning for every kind', () => {
    assert.deepEqual(
      defaultSnippets.map(({ body }) => body.kind),
      [...remoteKinds, 'local'],
    );
  });
});
