import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  parseDisks,
  parseGpus,
  parseHost,
} from '../../../../src/machines/resources/parseSample.ts';

const host = (...lines: string[]): string =>
  ['MemTotal: 1000', 'MemAvailable: 250', 'load: 1.50', ...lines].join('\n');

describe('samples', () => {
  it('tells the use of the CPUs from two samples, and nothing from one', () => {
    const first = parseHost(
      host('cpu: 100 0 50 800 50 0 0 0', 'cpus: 4', 'uptime: 10.0'),
      undefined,
    );
    assert.deepEqual(
      { ...first, counters: undefined },
      {
        counters: undefined,
        cpuCount: 4,
        loadAverage: 1.5,
        memoryTotalBytes: 1024_000,
        memoryUsedBytes: 768_000,
      },
    );
    const second = parseHost(host('cpu: 130 0 70 840 60 0 0 0', 'cpus: 4'), first.counters);
    assert.equal(second.cpuPercent, 50);
    assert.equal(
      parseHost(host('cpu: 1 0 0 5 0 0 0 0'), first.counters).cpuPercent,
      undefined,
      'it was restarted',
    );
  });

  it('counts what can be dropped as free on kernels that do not say what is available', () => {
    const told = parseHost('MemTotal: 1000\nMemFree: 100\nBuffers: 100\nCached: 300', undefined);
    assert.equal(told.memoryUsedBytes, 500 * 1024);
    assert.equal(parseHost('MemTotal: 1000\nMemFree: 100', undefined).memoryUsedBytes, undefined);
    assert.deepEqual({ ...parseHost('', undefined), counters: undefined }, { counters: undefined });
  });

  it('takes the limits of a container for its machine: both kinds of control groups', () => {
    const groups = [
      (seconds: number) => [
        'cpu.max: 150000 100000',
        `usage_usec: ${seconds * 1e6}`,
        'memory.max: 512000',
        'memory.current: 300000',
        'inactive_file: 100000',
      ],
      (seconds: number) => [
        'cpu.cfs_quota_us: 150000',
        'cpu.cfs_period_us: 100000',
        `cpuacct.usage: ${seconds * 1e9}`,
        'memory.limit_in_bytes: 512000',
        'memory.usage_in_bytes: 300000',
        'inactive_file: 1',
        'total_inactive_file: 100000',
      ],
    ];
    for (const group of groups) {
      const cpu = 'cpu: 100 0 50 800 50 0 0 0';
      const first = parseHost(host(cpu, 'cpus: 64', 'uptime: 100', ...group(10)), undefined);
      const { counters, ...second } = parseHost(
        host(cpu, 'cpus: 64', 'uptime: 110', ...group(13)),
        first.counters,
      );
      assert.ok(counters);
      assert.deepEqual(second, {
        cpuPercent: 20,
        cpuCount: 1.5,
        memoryTotalBytes: 512_000,
        memoryUsedBytes: 200_000,
      });
    }
  });

  it('takes the machine where the group has no limits', () => {
    for (const none of [
      'cpu.max: max 100000\nmemory.max: max',
      'cpu.cfs_quota_us: -1\ncpu.cfs_period_us: 100000',
    ])
      assert.deepEqual(
        {
          ...parseHost(
            host('cpus: 8', none, 'memory.limit_in_bytes: 9223372036854771712'),
            undefined,
          ),
          counters: 0,
        },
        {
          counters: 0,
          cpuCount: 8,
          loadAverage: 1.5,
          memoryTotalBytes: 1024_000,
          memoryUsedBytes: 768_000,
        },
      );
  });

  it('reads what macOS tells', () => {
    const text =
      'cpus: 8\nmemsize: 16777216\nload:  2.10 2.00 1.90\npagesize: 4096\npages_free: 100\npages_inactive: 900\npages_speculative: 24\nidle: 84.25';
    const { counters, ...told } = parseHost(text, undefined);
    assert.ok(counters);
    assert.deepEqual(told, {
      cpuPercent: 15.75,
      cpuCount: 8,
      loadAverage: 2.1,
      memoryTotalBytes: 16_777_216,
      memoryUsedBytes: 16_777_216 - 1024 * 4096,
    });
  });

  it('tells a file system once', () => {
    const root = '/dev/sda 1 /x 1000 600 400 60% /';
    const disks = parseDisks(
      `/home/a b\n/dev/sda 1000 600 400 60% /\n/work\n/dev/sda 1000 600 400 60% /\n/d\n${root}`,
    );
    assert.deepEqual(disks[0], {
      path: '/home/a b',
      freeBytes: 400 * 1024,
      totalBytes: 1000 * 1024,
    });
    assert.deepEqual(
      disks.map(({ path }) => path),
      ['/home/a b'].concat(disks.length > 1 ? ['/d'] : []),
    );
    assert.deepEqual(parseDisks(''), []);
  });

  it('reads nvidia-smi: what is not supported is absent, processes belong to their GPU and session', () => {
    const text = [
      'nvidia',
      '0, GPU-aa, NVIDIA A100-SXM4-80GB, 93, 18432, 81920, 71, 250.5',
      '1, GPU-bb, Quadro, P, [N/A], [Not Supported], 81920, [Unknown Error], [N/A]',
      'broken',
      'processes',
      'GPU-aa, 4711, 18000, 4700',
      'GPU-aa, 4712, [N/A], ',
    ].join('\n');
    const mib = 2 ** 20;
    assert.deepEqual(parseGpus(text), [
      {
        id: '0',
        name: 'NVIDIA A100-SXM4-80GB',
        utilisationPercent: 93,
        memoryUsedBytes: 18432 * mib,
        memoryTotalBytes: 81920 * mib,
        temperatureCelsius: 71,
        powerWatts: 250.5,
        processes: [{ pid: 4711, memoryBytes: 18000 * mib, sessionPid: 4700 }, { pid: 4712 }],
      },
      { id: '1', name: 'Quadro, P', memoryTotalBytes: 81920 * mib, processes: [] },
    ]);
    assert.deepEqual(
      parseGpus('nvidia\nNVIDIA-SMI has failed because it could not communicate'),
      [],
    );
    assert.deepEqual(parseGpus(''), []);
  });

  it('reads rocm-smi, whatever warns before it', () => {
    const card = {
      'GPU use (%)': '3',
      'VRAM Total Memory (B)': '68702699520',
      'VRAM Total Used Memory (B)': '1048576',
      'Temperature (Sensor edge) (C)': '35.0',
      'Average Graphics Package Power (W)': 'N/A',
      'Card series': 'Instinct MI210',
    };
    assert.deepEqual(
      parseGpus(`rocm\nWARNING: low power\n${JSON.stringify({ card0: card, system: { x: '1' } })}`),
      [
        {
          id: '0',
          name: 'Instinct MI210',
          utilisationPercent: 3,
          memoryUsedBytes: 1048576,
          memoryTotalBytes: 68702699520,
          temperatureCelsius: 35,
        },
      ],
    );
    assert.deepEqual(parseGpus('rocm\nnothing'), []);
  });
});
