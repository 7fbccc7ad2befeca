<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en_US">
<context>
    <name>GraphCanvas</name>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n more</numerusform>
            <numerusform>%n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n node(s); double click opens it</source>
        <translation>
            <numerusform>%n node; double click opens it</numerusform>
            <numerusform>%n nodes; double click opens it</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Open: show the %n node(s) inside</source>
        <translation>
            <numerusform>Open: show the %n node inside</numerusform>
            <numerusform>Open: show the %n nodes inside</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LspBackend</name>
    <message numerus="yes">
        <source>The language server ended %n time(s) in a row (%1).</source>
        <translation>
            <numerusform>The language server ended (%1).</numerusform>
            <numerusform>The language server ended %n times in a row (%1).</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message numerus="yes">
        <source>%1 of %n changed</source>
        <translation>
            <numerusform>%1 of %n changed</numerusform>
            <numerusform>%1 of %n changed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n line(s)</source>
        <translation>
            <numerusform>%n line</numerusform>
            <numerusform>%n lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>the fastest of %n run(s): %1 ms</source>
        <translation>
            <numerusform>one run: %1 ms</numerusform>
            <numerusform>the fastest of %n runs: %1 ms</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SelectionModel</name>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 and %n more</numerusform>
            <numerusform>%1 and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StageModel</name>
    <message numerus="yes">
        <source>%n pass(es), %1 ms, measured</source>
        <translation>
            <numerusform>%n pass, %1 ms, measured</numerusform>
            <numerusform>%n passes, %1 ms, measured</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Changed %n operation(s)</source>
        <translation>
            <numerusform>Changed %n operation</numerusform>
            <numerusform>Changed %n operations</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message numerus="yes">
        <source>%n error(s)</source>
        <translation>
            <numerusform>%n error</numerusform>
            <numerusform>%n errors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <translation>
            <numerusform>%n warning</numerusform>
            <numerusform>%n warnings</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TimelineCanvas</name>
    <message numerus="yes">
        <source>%n task(s)</source>
        <translation>
            <numerusform>%n task</numerusform>
            <numerusform>%n tasks</numerusform>
        </translation>
    </message>
</context>
</TS>
